"""Imports that meet trouble: all of it is stored or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studyapp.core.errors import DeckError, StoreError, UsageError
from studyapp.decks import rewrite
from studyapp.study import arriving, exporting, moving, naming, taking_in
from studyapp.study.desk import Desk

DECK = "Q: What is a warp?\nA: Thirty-two lanes in step.\n"


@pytest.fixture
def desk(desk_of: Callable[..., Desk]) -> Desk:
    return desk_of()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "private" / "lessons"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_disk_that_fails_in_the_middle_leaves_the_files_as_they_were(
    desk: Desk, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "in" / "a.md", DECK)
    moving.bring(desk, tmp_path / "in", folder)
    before = (folder / "a.md").read_bytes()
    put(tmp_path / "in" / "a.md", DECK.replace("lanes", "threads"))
    put(tmp_path / "in" / "b.md", DECK.replace("warp", "block"))
    write_file = rewrite.write_file

    def fail_on_b(path: Path, data: bytes, mode: int = 0o600) -> None:
        if path.name == "b.md":
            raise OSError(28, "No space left on device")
        write_file(path, data, mode)

    monkeypatch.setattr("studyapp.study.moving.write_file", fail_on_b)

    with pytest.raises(StoreError, match="No space left"):
        moving.bring(desk, tmp_path / "in", folder)

    assert [p.name for p in folder.iterdir()] == ["a.md"]
    assert (folder / "a.md").read_bytes() == before
    assert [card.answer for card in desk.store.find("warp?")] == ["Thirty-two lanes in step."]


def test_two_decks_of_one_name_and_other_cards_get_two_files(desk: Desk, tmp_path: Path, folder: Path) -> None:
    moving.bring(desk, put(tmp_path / "x" / "notes.md", DECK), folder)
    second = moving.bring(desk, put(tmp_path / "y" / "notes.md", "Q: Else?\nA: Yes.\n"), folder)
    newer = moving.bring(desk, put(tmp_path / "z" / "notes.md", DECK + "\nQ: More?\nA: Yes, more.\n"), folder)

    assert second.new == 1
    assert (newer.new, newer.unchanged) == (1, 1)
    assert sorted(p.name for p in folder.iterdir()) == ["notes-2.md", "notes.md"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a/x.md", "b/x.md"], ["x.md", "b-x.md"]),
        (
            ["Größe der Netze.md", "幅.md", "X.md", "x.MD"],
            ["grosse-der-netze.md", "deck-ab5a4e.md", "x.md", "x-2.md"],
        ),
    ],
)
def test_file_names_are_plain_letters_and_free(names: list[str], expected: list[str]) -> None:
    taken: list[str] = []
    for name in names:
        taken.append(arriving.file_name(Path("/top") / name, Path("/top"), taken))

    assert [name if not name.startswith("deck-") else "deck" for name in taken] == [
        name if not name.startswith("deck-") else "deck" for name in expected
    ]


def test_a_deck_above_the_size_of_a_lesson_is_refused_whole(desk: Desk, tmp_path: Path, folder: Path) -> None:
    rows = "\n".join(f"question {i},{'x' * 200_000}" for i in range(25))

    brought = moving.bring(desk, put(tmp_path / "big.csv", rows), folder)

    assert [problem.message for problem in brought.problems] == [
        f"{tmp_path / 'big.csv'} gives a lesson above 4 MiB. Split it into several."
    ]
    assert not folder.exists()


def test_an_export_with_damaged_rows_says_how_many_and_never_leaves_its_folder(
    desk: Desk, tmp_path: Path, folder: Path
) -> None:
    moving.bring(desk, put(tmp_path / "deck.md", DECK), folder)
    out = exporting.export(desk, tmp_path / "all.json").path
    data: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    data["lessons"] = [{"name": "../../evil.md", "text": DECK.replace("warp", "trap"), "module": "x"}]
    data["record"]["rows"]["reviews"] = [["torn"]]
    out.write_text(json.dumps(data), encoding="utf-8")

    brought = taking_in.take_in(desk, out, folder)

    assert [problem.message for problem in brought.problems] == ["damaged rows of the record, left out: 1"]
    assert sorted(p.name for p in folder.iterdir()) == ["deck.md", "evil.md"]
    assert not list(tmp_path.rglob("../evil.md"))


def test_a_lesson_with_another_text_is_left_as_it_is(desk: Desk, tmp_path: Path, folder: Path) -> None:
    moving.bring(desk, put(tmp_path / "deck.md", DECK), folder)
    out = exporting.export(desk, tmp_path / "all.json").path
    mine = put(folder / "deck.md", DECK.replace("lanes", "threads"))

    brought = taking_in.take_in(desk, out, folder)

    assert "another text" in brought.problems[0].message
    assert "threads" in mine.read_text(encoding="utf-8")


def test_a_missing_export_and_an_unwritable_place_are_said_in_words(
    desk: Desk, tmp_path: Path, folder: Path
) -> None:
    with pytest.raises(DeckError, match="cannot be read"):
        taking_in.take_in(None, tmp_path / "none.json", folder)
    with pytest.raises(UsageError, match="cannot be written"):
        exporting.export(desk, Path("/proc/none/all.json"))
    with pytest.raises(UsageError, match="cannot be written"):
        naming.new_module(Path("/proc/none/m.md"))


def test_a_module_whose_file_is_gone_is_written_from_the_record(desk: Desk, tmp_path: Path, folder: Path) -> None:
    source = put(tmp_path / "gaps.md", "C: A {{c1::warp}} has lanes.\n\nQ: a?\nA: b\n")
    moving.bring(desk, source, folder)
    (folder / "gaps.md").unlink()

    exporting.export(desk, tmp_path / "out.md", "gaps")

    text = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "**Question:** a? <!-- id: /a-" in text
    assert "> **Question:** A […] has lanes." in text


def test_ids_names_what_it_cannot_do_and_goes_on(desk: Desk, tmp_path: Path) -> None:
    put(tmp_path / "d" / "good.md", DECK)
    put(tmp_path / "d" / "page.md", "# T\n\n## FAQ\n\nIs it? Yes, it is.\n")
    (tmp_path / "d" / "bad.md").symlink_to("/nowhere")

    found = naming.name_cards(desk, tmp_path / "d", write=True)

    assert [(Path(n.path).name, n.written) for n in found.named] == [("good.md", True)]
    assert ["leads nowhere" in problem.message for problem in found.problems] == [True]
    assert (tmp_path / "d" / "page.md").read_text(encoding="utf-8") == "# T\n\n## FAQ\n\nIs it? Yes, it is.\n"


def test_small_numbers_as_ids_belong_to_their_own_table(desk: Desk, tmp_path: Path, folder: Path) -> None:
    one = moving.bring(desk, put(tmp_path / "one.csv", "id,front,back\n1,a?,b\n2 x,c?,d\n"), folder)
    two = moving.bring(desk, put(tmp_path / "two.csv", "id,front,back\n1,e?,f\n"), folder)
    again = moving.bring(desk, tmp_path / "one.csv", folder)

    assert [card.id for card in (*one.cards, *two.cards)] == ["one/1", "one/2-x", "two/1"]
    assert (again.unchanged, again.problems) == (2, [])


def test_a_bare_id_of_another_deck_is_refused_with_what_to_do(desk: Desk, tmp_path: Path, folder: Path) -> None:
    moving.bring(desk, put(tmp_path / "one.md", "Q: a? {#q1}\nA: b\n"), folder)

    brought = moving.bring(desk, put(tmp_path / "two.md", "Q: c? {#q1}\nA: d\n"), folder)

    assert "its card id 'q1' (line 1) is used in" in brought.problems[0].message
    assert "write 'id: NAME' at the top" in brought.problems[0].message
