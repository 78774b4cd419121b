from __future__ import annotations

import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.errors import DeckError, UsageError
from studyapp.study import adding, editing
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Sitting
from studyapp.study.watching import Watcher, look, take_in
from tests.study.conftest import lesson

MakeDesk = Callable[..., Desk]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("vim", "vim +7 f.md"),
        ("/usr/bin/nvim -R", "/usr/bin/nvim -R +7 f.md"),
        ("nano", "nano +7 f.md"),
        ("emacsclient -t", "emacsclient -t +7 f.md"),
        ("hx", "hx f.md:7"),
        ("subl", "subl --wait f.md:7"),
        ("code", "code --wait --goto f.md:7"),
        ("code -w", "code -w --goto f.md:7"),
        ("my-editor --fast", "my-editor --fast f.md"),
    ],
)
def test_an_editor_opens_at_the_line_in_its_own_way(command: str, words: str) -> None:
    assert editing.at_line(command.split(), Path("f.md"), 7) == words.split()


def test_the_setting_comes_before_visual_and_that_before_editor() -> None:
    both = {"VISUAL": "code -w", "EDITOR": "vi"}
    assert editing.editor_command("nano -l", both) == ["nano", "-l"]
    assert editing.editor_command("", both) == ["code", "-w"]
    assert editing.editor_command("", {"EDITOR": "vi"}) == ["vi"]


def test_where_there_is_no_editor_a_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(editing.EditorError, match="No editor was found"):
        editing.editor_command("", {"PATH": str(tmp_path)})
    with pytest.raises(editing.EditorError, match="cannot be read"):
        editing.editor_command('vi "', {})
    with pytest.raises(editing.EditorError, match="no-such-editor cannot be started"):
        editing.run_editor(["no-such-editor"], tmp_path / "a.md", 1)
    with pytest.raises(editing.EditorError, match="ended with 3"):
        editing.run_editor([sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "a.md", 1)


def test_a_copy_of_a_shipped_lesson_takes_its_place_and_keeps_the_progress(
    desk_of: MakeDesk, tmp_path: Path, lesson_path: Path
) -> None:
    desk = desk_of(release="all")
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, list(showing.outcomes)[2], duration_ms=1000)
    card = showing.card.id
    place = editing.place_of(desk, card)
    assert place.is_shipped
    assert place.path.read_text(encoding="utf-8").split("\n")[place.line - 1].startswith("> **Say it first:**")

    own = tmp_path / "own"
    copy = editing.copy_own(place, own)
    text = copy.path.read_text(encoding="utf-8")
    copy.path.write_text(text.replace("It is a0.", "It is other."), encoding="utf-8")
    assert editing.reread(desk, [own]) == []
    now = desk.store.card(card)
    assert now is not None
    assert now.answer == "It is other."
    assert now.memory.reps == 1
    assert not editing.place_of(desk, card).is_shipped
    assert editing.reread(desk, [own]) == []  # and again
    assert [m.id for m in desk.store.modules()] == ["demo"]

    lesson_path.write_text(lesson(one=5), encoding="utf-8")  # a newer program ships more: the copy stands
    assert editing.reread(desk, [own]) == []
    assert desk.store.card("demo/a4") is None
    copy.path.unlink()
    assert editing.reread(desk, [own]) == []
    assert desk.store.card("demo/a4") is not None


def test_a_card_that_no_file_holds_is_refused_in_a_sentence(desk_of: MakeDesk, lesson_path: Path) -> None:
    desk = desk_of()
    with pytest.raises(UsageError, match="no card 'demo/zebra'"):
        editing.place_of(desk, "demo/zebra")
    lesson_path.write_text(lesson(one=1), encoding="utf-8")
    editing.reread(desk, [])
    with pytest.raises(UsageError, match="has left its file"):
        editing.place_of(desk, "demo/a3")


def write_draft(folder: Path, text: str) -> Path:
    draft = adding.draft(folder)
    head = draft.read_text(encoding="utf-8").split("\n")
    assert head[adding.FIRST_LINE - 1] == "Q: "
    assert stat.S_IMODE(draft.stat().st_mode) == 0o600
    draft.write_text("\n".join(head[: adding.FIRST_LINE - 1]) + "\n" + text, encoding="utf-8")
    return draft


def test_a_template_left_as_it_is_makes_no_card(tmp_path: Path) -> None:
    assert adding.written_in(adding.draft(tmp_path)) == ()
    assert adding.written_in(write_draft(tmp_path, "")) == ()
    with pytest.raises(DeckError, match="No card was written"):
        adding.written_in(write_draft(tmp_path, "Just words.\n"))
    with pytest.raises(DeckError, match="No card was written: the answer is empty: Why"):
        adding.written_in(write_draft(tmp_path, "Q: What?\nA: That.\n\nQ: Why?\nA:\n"))
    left_empty = adding.written_in(write_draft(tmp_path, "Q: What?\nA: That.\n\nQ:\nA:\n"))
    assert [card.prompt for card in left_empty] == ["What?"]


def test_new_cards_begin_a_deck_and_are_appended_with_ids_of_their_own(desk_of: MakeDesk, tmp_path: Path) -> None:
    desk, own = desk_of(), tmp_path / "own"
    deck = adding.new_file(own, "My  cards")
    assert adding.new_file(own, "My cards") == deck
    for answer in ("Lanes.", "Other."):
        cards = adding.written_in(write_draft(tmp_path, f"Q: What is a warp?\nA: {answer}\n\n- in step\n"))
        added = adding.append(desk, deck, cards)
        editing.reread(desk, [own])
        adding.release(desk, added)
        card = desk.store.card(added.cards[0])
        assert card is not None
        assert (card.prompt, card.answer, card.explicit_id) == ("What is a warp?", f"{answer}\n\n- in step", True)
    assert [c.id for c in desk.store.cards("my-cards")] == ["my-cards/what-is-a-warp", "my-cards/what-is-a-warp-2"]
    assert Sitting(desk, "my-cards").next() is not None


KINDS = (
    "Q: **Number:** How much?\nA: About 5.6 GB.\n\n"
    "Q: Which?\nA:\n\n- [x] one\n- [ ] two\n\n"
    "C: A {{c1::warp}} has {{c2::32}} lanes.\n\n"
    "Q: Why?\nA: So.\n\n**Check:**\n\n- first\n- second\n"
)


@pytest.mark.parametrize("form", ["deck", "lesson"])
def test_new_cards_keep_their_kind_their_gaps_and_their_points(
    desk_of: MakeDesk, tmp_path: Path, form: str
) -> None:
    desk, own = desk_of(), tmp_path / "own"
    file = adding.new_file(own, "Mine")
    if form == "lesson":
        file.write_text(lesson().replace("id: demo", "id: mine"), encoding="utf-8")
    editing.reread(desk, [own])

    added = adding.append(desk, file, adding.written_in(write_draft(tmp_path, KINDS)))
    editing.reread(desk, [own])

    found = [desk.store.card(name) for name in added.cards]
    assert [(card.id, card.kind, card.key_points) for card in found if card is not None] == [
        ("mine/how-much", "numeric", ()),
        ("mine/which", "choice", ()),
        (added.cards[2], "cloze", ()),
        (added.cards[2].replace(":c1", ":c2"), "cloze", ()),
        ("mine/why", "basic", ("first", "second")),
    ]


def test_a_lesson_gets_new_cards_in_a_section_of_their_own(desk_of: MakeDesk, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    file = own / "mine.md"
    file.write_text(lesson().replace("id: demo", "id: mine").replace("\n", "\r\n"), encoding="utf-8", newline="")
    before = file.read_bytes()
    desk = desk_of()
    editing.reread(desk, [own])
    for number in range(2):
        cards = adding.written_in(write_draft(tmp_path, f"Q: Why {number}?\nA: So.\n"))
        added = adding.append(desk, file, cards)
        editing.reread(desk, [own])
        adding.release(desk, added)
    assert file.read_bytes().startswith(before.rstrip())
    assert file.read_bytes().count(b"## Your cards") == 1
    mine = [card for card in desk.store.cards("mine") if card.section == adding.SECTION]
    assert [(card.id, card.answer) for card in mine] == [("mine/why-0", "So."), ("mine/why-1", "So.")]
    showing = Sitting(desk, "mine").next()
    assert showing is not None
    assert showing.card.id == "mine/why-0"


def test_the_learners_files_are_found_without_the_shipped_ones(tmp_path: Path, lesson_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "b.md").write_text("Q: a\nA: b\n", encoding="utf-8")
    found = editing.own_files([tmp_path / "own", lesson_path, tmp_path / "missing"])
    assert [path.name for path in found] == ["b.md"]


def test_a_watcher_notices_a_changed_a_new_and_a_lost_file_and_nothing_else(
    tmp_path: Path, lesson_path: Path
) -> None:
    own = tmp_path / "own"
    told = threading.Event()
    watcher = Watcher(lambda: [own], told.set, every_s=0.01, settle_s=0.005)
    watcher.start()
    try:
        assert not told.wait(0.1)
        own.mkdir()
        for act in (
            lambda: (own / "new.md").write_text("Q: a\nA: b\n", encoding="utf-8"),
            lambda: (own / "new.md").write_text("Q: a\nA: longer\n", encoding="utf-8"),
            lambda: (own / "new.md").unlink(),
        ):
            act()
            assert told.wait(10)
            told.clear()
    finally:
        watcher.stop()
    assert not told.wait(0.05)


def test_a_watcher_waits_until_the_learner_rests(tmp_path: Path, lesson_path: Path) -> None:
    told, rests = threading.Event(), threading.Event()
    watcher = Watcher(lambda: [tmp_path], told.set, resting=rests.is_set, every_s=0.01, settle_s=0.005)
    watcher.start()
    try:
        lesson_path.write_text(lesson(one=1), encoding="utf-8")
        assert not told.wait(0.1)
        rests.set()
        assert told.wait(10)
    finally:
        watcher.stop()


def test_only_a_lesson_that_says_something_else_is_worth_telling(desk_of: MakeDesk, lesson_path: Path) -> None:
    desk = desk_of()
    assert look([lesson_path, lesson_path.parent / "nowhere"]).keys() == {str(lesson_path)}
    before = desk.store.lessons_kept()
    assert take_in(desk, []) == before
    lesson_path.write_text(lesson(one=1), encoding="utf-8")
    assert take_in(desk, []) != before
