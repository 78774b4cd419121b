from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from studyapp.core.cards import Card, Module
from studyapp.core.percent import percent
from studyapp.core.policy import Policy
from studyapp.core.queries import Expression, parse
from studyapp.core.reviews import Memory, State
from studyapp.tui.app import StudyApp
from studyapp.tui.screens import browse_parts
from studyapp.tui.screens.browse import BrowseScreen
from studyapp.tui.screens.browse_asks import Choose, Line
from studyapp.tui.screens.browse_card import CardScreen
from studyapp.tui.screens.read import ReadScreen
from studyapp.tui.thinking import Thinking
from tests.study.log import live
from tests.tui.conftest import LESSON
from tests.tui.drive import PATIENCE_S, open_desk, release, reveal, text_of, until

Maker = Callable[..., StudyApp]


async def browsing(app: StudyApp, pilot: Pilot[Any], query: str = "") -> BrowseScreen:
    """Open the demo lesson's cards: `slow` answered ten days ago, `launch` due today, the others new."""
    await open_desk(app, pilot)
    assert app.desk is not None
    release(app)
    day = app.desk.clock().study_day
    live(app.desk.store, "demo/slow", [(day - 40, 3), (day - 30, 1), (day - 30, 3), (day - 10, 4)])
    live(app.desk.store, "demo/launch", [(day - 3, 3)])
    app.push_screen(BrowseScreen(query=query))
    await shown(app, pilot)
    assert isinstance(app.screen, BrowseScreen)
    return app.screen


async def shown(app: StudyApp, pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: isinstance(app.screen, BrowseScreen) and app.screen.browsing is not None)
    await until(pilot, lambda: not app.screen.busy and app.workers._workers == set())  # type: ignore[attr-defined]
    await pilot.pause()


async def done(app: StudyApp, pilot: Pilot[Any], words: str) -> None:
    await until(pilot, lambda: words in text_of(app))


def ids(screen: BrowseScreen) -> list[str]:
    assert screen.browsing is not None
    return [card.removeprefix("demo/") for card in screen.browsing.ids(screen.browsing.places)]


async def test_the_list_follows_every_letter_of_a_query(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        assert ids(screen) == ["slow", "launch", "once", "flat"]
        await pilot.press("slash", *"launc")
        assert ids(screen) == ["slow", "launch"]  # launches are among its key points
        await pilot.press(*"h cost?")
        assert ids(screen) == ["launch"]
        assert "1 of 4" in text_of(app)
        await pilot.press("ctrl+u", *"zebra")
        assert "No card fits this query." in text_of(app)


@contextlib.contextmanager
def busy_store(app: StudyApp) -> Iterator[None]:
    """Keep the store for another thread, as a slow disk does: who wants to read it waits for the end."""
    assert app.desk is not None
    store, taken, over = app.desk.store, threading.Event(), threading.Event()

    def keep() -> None:
        with store.alone():
            taken.set()
            over.wait(PATIENCE_S)

    other = threading.Thread(target=keep)
    other.start()
    taken.wait(PATIENCE_S)
    try:
        yield
    finally:
        over.set()
        other.join()


async def test_typing_goes_on_while_the_store_is_slow_and_the_last_query_wins(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        assert screen.browsing is not None
        asked: list[Expression] = []
        find = screen.browsing.find
        screen.browsing.find = lambda: [asked.append(screen.browsing.asked.expression), find()][1]  # type: ignore
        with busy_store(app):
            await pilot.press("slash", *"is:due launch", "enter", "x")
            assert "is:due launch" in text_of(app)
            assert ids(screen) == ["slow", "launch", "once", "flat"]
            assert screen.seeking
        await until(pilot, lambda: not screen.seeking)
        assert ids(screen) == ["launch"]
        assert [asked[0], asked[-1]] == [parse("i"), parse("is:due launch")]
        assert len(asked) == 2


async def test_a_key_for_the_list_waits_for_the_list(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        with busy_store(app):
            await pilot.press("slash", *"flat", "enter", "s", "down")
            assert ids(screen)[0] == "slow"
        await done(app, pilot, "1 card suspended")
        assert ids(screen) == ["flat"]
        assert app.desk is not None
        assert [card.id for card in app.desk.store.cards() if card.suspended] == ["demo/flat"]  # not the one above


async def test_what_leaves_browse_does_not_wait_for_the_list(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await browsing(app, pilot)
        with busy_store(app):
            await pilot.press("slash", *"flat", "enter", "q")
            await until(pilot, lambda: not isinstance(app.screen, BrowseScreen))


async def test_half_a_term_leaves_what_was_found_and_says_what_is_lacking(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("slash", *"is:ne")
        assert ids(screen) == ["slow", "launch", "once"]  # those with "is" in their text
        assert "Did you mean is:new?" in text_of(app)
        await pilot.press("w")
        assert ids(screen) == ["once", "flat"]
        assert "Did you mean" not in text_of(app)


async def test_keys_of_the_list_are_letters_in_the_search_line(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("slash", *"sbz")
        assert "enter to the list" in text_of(app)
        assert "suspend" not in text_of(app)
        await pilot.press("enter", "down")
        assert app.desk is not None
        assert not any(card.suspended for card in app.desk.store.cards())
        assert screen.query_text == "sbz"
        await pilot.press("q")
        assert not isinstance(app.screen, BrowseScreen)


async def test_the_preview_shows_answer_trial_history_and_forgetting(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        text = text_of(app)
        assert "Its steps are fixed costs." in text
        assert "small-net, not run yet" in text
        assert "good again good easy" in text
        found = screen.here
        assert found is not None
        assert found.recall is not None
        assert f"{percent(found.recall)} today" in text
        await pilot.press("down", "down")
        assert "The weights." in text_of(app)
        assert "not answered yet" in text_of(app)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 12)])
async def test_browse_fits_every_window(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await browsing(app, pilot)
        lines = text_of(app).split("\n")
        assert any("Why is a" in line for line in lines)
        assert all(len(line) <= size[0] for line in lines)
        assert ("stable   lapses" in text_of(app)) == (size[0] >= 120)
        assert ("Demo lesson" in text_of(app)) == (size[0] >= 80)


async def test_several_cards_are_put_away_in_one_step_and_taken_back_in_one(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("space", "v", "down", "v")
        assert "3 marked" in text_of(app)
        await pilot.press("s")
        await done(app, pilot, "3 cards suspended")
        assert screen.browsing is not None
        screen.browsing.search("is:suspended")
        assert ids(screen) == ["slow", "launch", "once"]
        await pilot.press("u")
        await done(app, pilot, "took back suspend")
        assert ids(screen) == []


async def test_all_that_was_found_is_marked_and_unmarked(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot, "is:new")
        await pilot.press("asterisk")
        assert list(screen.marked) == ["demo/once", "demo/flat"]
        await pilot.press("b")
        await done(app, pilot, "2 cards put away until tomorrow")
        await pilot.press("escape")
        assert not screen.marked
        assert app.screen is screen
        await pilot.press("b")
        await done(app, pilot, "1 card taken back")


async def test_starting_over_asks_first(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("0")
        assert isinstance(app.screen, Choose)
        await pilot.press("escape")
        assert app.desk is not None
        kept = app.desk.store.card("demo/slow")
        assert kept is not None
        assert kept.memory.reps == 4
        await pilot.press("0", "0")
        await done(app, pilot, "1 card starts over")
        assert ids(screen)[0] == "slow"
        assert screen.here is not None
        assert screen.here.card.memory == Memory()
        await pilot.press("u")
        await done(app, pilot, "took back reset")
        assert screen.here.card.memory == kept.memory


async def test_tags_and_flags_are_put_on_found_and_taken_back(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("g", "1")
        await done(app, pilot, "1 card flagged red")
        assert "red Why is a small net" in text_of(app)
        await pilot.press("g", "4")
        await done(app, pilot, "1 card flagged blue")
        assert "red Why" not in text_of(app)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, Line) and app.screen.focused is not None)
        await pilot.press(*"hard nets", "enter")
        await done(app, pilot, "tags of 1 card changed")
        assert screen.browsing is not None
        screen.browsing.search("tag:hard flag:blue")
        assert ids(screen) == ["slow"]
        await pilot.press("u")
        await until(pilot, lambda: ids(screen) == [])


async def test_enter_opens_the_whole_card_and_m_its_place(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(100, 45)) as pilot:
        await browsing(app, pilot, "id:flat OR id:slow")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CardScreen))
        await done(app, pilot, "then")
        text = text_of(app)
        for words in ("launches cost time", "difficulty", "20 Feb 2026", "easy", "demo.md:"):
            assert words in text
        await pilot.press("q", "down", "m")
        await until(pilot, lambda: isinstance(app.screen, ReadScreen) and app.screen.contents is not None)
        assert isinstance(app.screen, ReadScreen)
        assert app.screen.chapter is not None
        assert app.screen.chapter.section.id == "second"
        await pilot.press("b")
        await shown(app, pilot)
        assert isinstance(app.screen, BrowseScreen)
        assert ids(app.screen) == ["flat"]


async def test_orders_go_round_and_turn(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("o")
        assert "by due" in text_of(app)
        assert ids(screen)[0] == "launch"
        await pilot.press("r")
        assert "by due ↓" in text_of(app)
        assert ids(screen)[0] == "slow"


async def test_a_hundred_thousand_cards_are_read_a_page_at_a_time(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        cards = tuple(Card(f"big/{n}", "basic", f"Question {n}?", f"Answer {n}.") for n in range(3000))
        app.desk.store.save_module(Module("big", "Big", cards=cards, path="big.md"), source_hash="1", now_ms=1)
        app.push_screen(BrowseScreen())
        await shown(app, pilot)
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        await pilot.press("end")
        assert "Question 2999?" in text_of(app)
        await pilot.press("pageup", "home")
        assert len(screen.cache) < 60


def test_the_forgetting_curve_falls_and_marks_today() -> None:
    memory = Memory(State.REVIEW, stability=10.0, difficulty=5.0, due_day=1010, last_day=1000, reps=3)
    lines = browse_parts.forgetting(memory, 1010, Policy(), 80, height=4)
    assert len(lines) == 4
    assert "90 % today" in lines[0].plain
    assert "90 % on" in lines[0].plain
    top = lines[0].plain[9:].split("  ")[0]
    today = top.index("┃")
    assert [line.plain[9 + today] for line in lines] == ["┃"] * 4
    assert top[0] == "█"
    assert top[-1] != "█"
    assert browse_parts.forgetting(Memory(), 1010, Policy(), 80) == []
    later = replace(memory, stability=900.0, last_day=1010)
    assert browse_parts.forgetting(later, 1010, Policy(), 60)[0].cell_length <= 60


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that does to the file what a Python file says."""
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\nhere = pathlib.Path(__file__).parent\nfile = pathlib.Path(sys.argv[-1])\n"
        "exec((here / 'does.py').read_text())\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(StudyApp, "suspend", lambda self: contextlib.nullcontext())
    return tmp_path / "does.py"


async def test_e_copies_a_shipped_lesson_edits_it_and_comes_back_to_the_card(
    app_of: Maker, editor: Path, lesson: Path
) -> None:
    editor.write_text("file.write_text(file.read_text().replace('Microseconds.', 'Some microseconds.'))")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        before = lesson.read_bytes()
        await pilot.press("down", "e")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "came with the program" in text_of(app)
        await pilot.press("c")
        await done(app, pilot, "demo.md was read again.")
        assert screen.here is not None
        assert (screen.here.card.id, screen.here.card.answer) == ("demo/launch", "Some microseconds.")
        assert screen.here.card.memory.reps == 1
        assert "Some microseconds." in text_of(app)
        assert lesson.read_bytes() == before
        editor.write_text("")
        await pilot.press("e")  # now it is the learner's own: nothing to ask
        await done(app, pilot, "demo.md was read again.")
        assert app.screen is screen


async def test_an_editor_that_fails_is_a_sentence_and_the_card_stays(
    app_of: Maker, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "no-such-editor")
    app = app_of()
    async with app.run_test(size=(100, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("e", "c")
        await done(app, pilot, "no-such-editor cannot be started")
        assert screen.here is not None
        assert screen.here.card.id == "demo/slow"


async def test_n_writes_a_card_into_a_new_deck_and_goes_to_it(app_of: Maker, editor: Path) -> None:
    editor.write_text("file.write_text('Q: What is new?\\nA: This.\\n')")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot, "is:due")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Line) and app.screen.focused is not None)
        await pilot.press("enter")
        await done(app, pilot, "The card is in my-cards.md.")
        assert screen.here is not None
        assert screen.here.card.id == "my-cards/what-is-new"
        assert not list(app.settings.data_dir.glob(".new-card-*"))


async def test_a_new_card_takes_the_marks_off_for_the_next_key_is_for_it(app_of: Maker, editor: Path) -> None:
    editor.write_text("")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("space", "space", "n")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("escape")
        assert list(screen.marked) == ["demo/slow", "demo/launch"]
        editor.write_text("file.write_text('Q: What is new?\\nA: This.\\n')")
        await pilot.press("n", "n")
        await until(pilot, lambda: isinstance(app.screen, Line) and app.screen.focused is not None)
        await pilot.press("enter")
        await done(app, pilot, "The card is in my-cards.md. 2 marks were taken off.")
        await pilot.press("s")
        await done(app, pilot, "1 card suspended")
        assert app.desk is not None
        assert [card.id for card in app.desk.store.cards() if card.suspended] == ["my-cards/what-is-new"]


async def test_a_lesson_changed_on_disk_is_taken_in_while_the_list_is_open(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        lesson.write_text(LESSON.replace("The weights.", "The weights, once."), encoding="utf-8")
        await pilot.press("down", "down")
        await done(app, pilot, "The weights, once.")
        assert screen.here is not None
        assert screen.here.card.id == "demo/once"


async def test_a_rewritten_card_is_asked_about_once_and_starts_over(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        lesson.write_text(
            LESSON.replace("Why is a small net slow on a GPU?", "Name four colours of a map.")
            .replace("Its steps are fixed costs.", "Red, green, blue, ochre.")
            .replace("What does a launch cost?", "Where do birds sleep?")
            .replace("\n> Microseconds.", "\n> In trees, mostly."),
            encoding="utf-8",
        )
        await done(app, pilot, "This card was rewritten")
        text = text_of(app)
        asked = "launch" if "birds" in text else "slow"
        await pilot.press("o")
        other = "birds" if asked == "slow" else "colours"
        await until(pilot, lambda: isinstance(app.screen, Choose) and other in text_of(app))
        await pilot.press("k")
        await until(pilot, lambda: app.screen is screen)
        await pilot.pause()
        assert app.desk is not None
        reps = {name: app.desk.store.card(f"demo/{name}") for name in ("slow", "launch")}
        fresh = [name for name, card in reps.items() if card is not None and card.memory == Memory()]
        assert fresh == [asked]


async def test_what_another_window_imports_is_in_the_list_a_moment_later(app_of: Maker, tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("Q: What came from the other window?\nA: This.\n")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await browsing(app, pilot)
        words = ["--data-dir", str(app.settings.data_dir), "--db", str(app.settings.db), "import", str(deck)]
        done = await asyncio.to_thread(subprocess.run, [sys.executable, "-m", "studyapp", *words], check=False)
        assert done.returncode == 0
        await until(pilot, lambda: "What came from the other window?" in text_of(app))


async def test_the_page_of_a_card_follows_its_file(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await browsing(app, pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, CardScreen) and "Microseconds." in text_of(app))
        lesson.write_text(LESSON.replace("Microseconds.", "A few microseconds."), encoding="utf-8")
        await until(pilot, lambda: "A few microseconds." in text_of(app))


async def test_a_card_deleted_in_the_editor_is_said_to_have_left(app_of: Maker, editor: Path) -> None:
    editor.write_text(
        "file.write_text(file.read_text().replace('Microseconds.', '').replace('What does a launch', ''))"
    )
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("down", "e")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("c")
        await done(app, pilot, "The card has left demo.md; its history is kept.")
        assert screen.here is not None
        assert screen.here.card.id != "demo/launch"


REWRITE = (
    "file.write_text(file.read_text().replace('What does a launch cost?', 'Where do birds sleep?')"
    ".replace('Microseconds.', 'In trees, mostly.'))"
)


@pytest.mark.parametrize("where", ["list", "card"])
async def test_a_card_rewritten_in_the_editor_is_asked_about_on_the_way_back(
    app_of: Maker, editor: Path, where: str
) -> None:
    editor.write_text(REWRITE)
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("down", *(["enter"] if where == "card" else []))
        await until(pilot, lambda: (app.screen is screen) == (where == "list"))
        home = app.screen
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("c")
        await until(pilot, lambda: "This card was rewritten" in text_of(app))
        await pilot.press("o")
        await until(pilot, lambda: app.screen is home and "demo.md was read again." in text_of(app))
        assert "Where do birds sleep?" in text_of(app)
        assert app.desk is not None
        card = app.desk.store.card("demo/launch")
        assert card is not None
        assert card.memory == Memory()


async def test_review_opens_the_editor_and_goes_on_with_the_same_card(
    app_of: Maker, editor: Path, tmp_path: Path
) -> None:
    editor.write_text("file.write_text(file.read_text().replace('Microseconds.', 'A few microseconds.'))")
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        release(app)
        live(
            app.desk.store,
            "demo/launch",
            [(app.desk.clock().study_day - 30, 3), (app.desk.clock().study_day - 20, 3)],
        )
        screen: Any = app.screen
        screen.sitting.look_again()
        screen._draw_next()
        await reveal(app, pilot)
        card = screen.showing.card.id
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("c")
        await done(app, pilot, "demo.md was read again.")
        assert (screen.showing.card.id, screen.revealed) == (card, True)
        assert ("A few microseconds." in text_of(app)) == (card == "demo/launch")
        await until(pilot, lambda: screen.seen)
        await pilot.press("3")
        await until(pilot, lambda: app.desk.store.card(card).memory.last_day == app.desk.clock().study_day)  # type: ignore[union-attr]


async def test_a_card_rewritten_in_the_middle_of_a_review_is_asked_about_and_shown_as_it_stands_then(
    app_of: Maker, editor: Path
) -> None:
    editor.write_text(REWRITE)
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        release(app)
        day = app.desk.clock().study_day
        live(app.desk.store, "demo/launch", [(day - 30, 3), (day - 20, 3)])
        screen: Any = app.screen
        screen.sitting.look_again()
        screen.showing = screen.sitting.show("demo/launch")
        await reveal(app, pilot)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("c")
        await until(pilot, lambda: "This card was rewritten" in text_of(app))
        await pilot.press("o")
        await until(pilot, lambda: app.screen is screen and "In trees, mostly." in text_of(app))
        assert (screen.showing.card.id, screen.showing.card.memory) == ("demo/launch", Memory())


async def test_time_in_the_editor_is_no_time_to_think(
    app_of: Maker, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor.write_text("")
    now = 0.0

    @contextlib.contextmanager
    def an_hour_away(_: StudyApp) -> Iterator[None]:
        nonlocal now
        now += 3600.0
        yield

    monkeypatch.setattr(StudyApp, "suspend", an_hour_away)
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        screen: Any = app.screen
        screen.thinking = Thinking(lambda: now)
        screen.sitting.look_again()
        screen._draw_next()
        now = 5.0
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("c")
        await done(app, pilot, "demo.md was read again.")
        assert screen.thinking.seconds == 5.0
        now += 2.0
        assert screen.thinking.seconds == 7.0


async def test_what_is_no_card_yet_is_not_lost_but_opened_again(app_of: Maker, editor: Path) -> None:
    editor.write_text(
        "text = file.read_text()\n"
        "file.write_text(text + ' This.' if 'What is new?' in text else 'Q: What is new?\\nA:')"
    )
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Line) and app.screen.focused is not None)
        await pilot.press("enter")
        await until(pilot, lambda: "This is no card yet" in text_of(app))
        assert "the answer is empty: What is new?" in " ".join(text_of(app).split())
        await pilot.press("e")
        await done(app, pilot, "The card is in my-cards.md.")
        assert screen.here is not None
        assert screen.here.card.answer == "This."


async def test_a_review_shows_the_card_as_its_file_has_it_when_that_is_changed_meanwhile(
    app_of: Maker, lesson: Path
) -> None:
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        release(app)
        day = app.desk.clock().study_day
        live(app.desk.store, "demo/launch", [(day - 30, 3), (day - 20, 3)])
        screen: Any = app.screen
        screen.sitting.look_again()
        screen._draw(screen.sitting.show("demo/launch"))
        await reveal(app, pilot)
        assert "Microseconds." in text_of(app)
        lesson.write_text(LESSON.replace("Microseconds.", "A few microseconds."), encoding="utf-8")
        await done(app, pilot, "A few microseconds.")
        assert "its file was changed" in text_of(app)
        assert screen.revealed
        await until(pilot, lambda: screen.seen)
        await pilot.press("3")
        await until(pilot, lambda: app.desk.store.card("demo/launch").memory.last_day == day)  # type: ignore[union-attr]


async def test_m_opens_the_place_of_the_card_in_review_once_it_is_revealed_and_the_answer_waits(
    app_of: Maker,
) -> None:
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        screen: Any = app.screen
        screen.sitting.look_again()
        screen._draw_next()
        await pilot.press("m")
        await pilot.pause()
        assert app.screen == screen
        card = screen.showing.card
        await reveal(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ReadScreen))
        await until(pilot, lambda: "contents" in text_of(app) or "Text" in text_of(app))
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        assert (screen.showing.card.id, screen.revealed) == (card.id, True)
        await until(pilot, lambda: screen.seen)
        await pilot.press("3")
        await until(pilot, lambda: app.desk.store.card(card.id).memory.reps == card.memory.reps + 1)  # type: ignore[union-attr]


async def test_a_deck_without_a_text_says_so_where_it_would_be_read(app_of: Maker) -> None:
    app = app_of()
    folder = app.settings.data_dir / "lessons"
    folder.mkdir(parents=True)
    (folder / "deck.md").write_text("Q: What is a zebra? <!-- id: zebra -->\nA: Striped.\n", encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot, "zebra")
        await until(pilot, lambda: screen.here is not None and screen.here.card.id == "zebra")
        await pilot.press("m")
        await until(pilot, lambda: "Cards alone, and no text" in text_of(app))
        assert "done, next" not in text_of(app)
        await pilot.press("n", "right", "x", "b")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen) and app.screen is not screen)
        await until(pilot, lambda: "What is a zebra?" in text_of(app))


async def test_nothing_is_painted_on_the_way_out_of_the_program(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await browsing(app, pilot)
        await screen.query("#count").remove()
        app._running = False
        screen.paint()
        screen.say("too late")
        assert screen.was_left
        app._running = True
