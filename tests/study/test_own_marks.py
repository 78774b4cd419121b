"""A learner's own tags and flags leave with the cards, as a table, as Markdown and as JSON, and come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studyapp.core.cards import Parsed
from studyapp.decks import load
from studyapp.decks.own import with_own
from studyapp.store.card_marks import Mark, Marked, marks_of, set_marks
from studyapp.study.exporting import export
from studyapp.study.lessons import bring_in
from studyapp.study.moving import bring
from studyapp.study.taking_in import take_in
from tests.study.machine import Machine, machines

DECK = """---
id: d
---

Q: What is a warp? {#warp .gpu}
A: Thirty-two lanes.

    <!-- id: lanes -->

Q: What is a lane? <!-- id: lane, tags: gpu -->
A: One thread of it.

C: A {{c1::warp}} has {{c2::32}} lanes. <!-- id: gap -->

Q: Which card has no mark? <!-- id: bare -->
A: This one.
"""
OWN = {
    "d/warp": Marked(("exam", "hard"), "red"),
    "d/lane": Marked((), "blue"),
    "d/gap:c1": Marked(("hard",)),
    "d/gap:c2": Marked(("hard",)),
}


def with_marks(machine: Machine, tmp_path: Path) -> Path:
    """Import the deck and mark its cards; return the folder of lessons."""
    deck, folder = tmp_path / "d.md", tmp_path / "here"
    deck.write_text(DECK)
    bring(machine.desk, deck, folder)
    names = [Mark(card, name, True) for card, own in OWN.items() for name in own.names]
    set_marks(machine.desk.store, names, at_ms=machine.clock().at_ms)
    return folder


@pytest.mark.parametrize("name", ["cards.csv", "cards.tsv", "d.md", "lessons"])
def test_marks_of_the_learner_come_back_with_the_cards(tmp_path: Path, name: str) -> None:
    with machines(2) as (here, there):
        with_marks(here, tmp_path)
        export(here.desk, tmp_path / "out" / name, "d")

        first = bring(there.desk, tmp_path / "out" / name, tmp_path / "there")
        again = bring(there.desk, tmp_path / "out" / name, tmp_path / "there")

        assert (first.new, first.problems, again.new, again.changed) == (5, [], 0, 0)
        assert marks_of(there.desk.store) == OWN
        tags = {card.id: card.tags for card in there.desk.store.cards()}
        assert tags["d/warp"] == tags["d/lane"] == ("gpu",)


def test_marks_are_in_the_json_and_its_lessons_are_the_files_as_they_are(tmp_path: Path) -> None:
    with machines(2) as (here, there):
        folder = with_marks(here, tmp_path)
        export(here.desk, tmp_path / "all.json")

        document = json.loads((tmp_path / "all.json").read_text())
        take_in(there.desk, tmp_path / "all.json", tmp_path / "there")

        cards = {c["id"]: c for m in document["modules"] for c in m["cards"]}
        assert (cards["d/warp"]["own_tags"], cards["d/warp"]["flag"]) == (["exam", "hard"], "red")
        assert (cards["d/bare"]["own_tags"], cards["d/bare"]["flag"]) == ([], "")
        assert [entry["text"] for entry in document["lessons"]] == [(folder / "d.md").read_text()]
        assert marks_of(there.desk.store) == OWN


def test_marks_on_a_card_that_is_here_in_another_lesson_come_along(tmp_path: Path) -> None:
    with machines(2) as (here, there):
        for machine in (here, there):
            bring_in(machine.desk)
        card = here.desk.store.cards()[0].id
        set_marks(here.desk.store, [Mark(card, "tag:exam", True)], at_ms=here.clock().at_ms)
        export(here.desk, tmp_path / "cards.csv")

        brought = bring(there.desk, tmp_path / "cards.csv", tmp_path / "there")

        assert brought.arrivals == []
        count = len(here.desk.store.cards())
        already = [left.reason for _, left in brought.left_out if "already" in left.reason]
        assert len(already) == 4
        assert already[-1].startswith(f"{count - 3} more cards are here already, down to ")
        assert marks_of(there.desk.store) == {card: Marked(("exam",))}


def test_a_lesson_of_the_program_comes_back_as_marks_alone(tmp_path: Path) -> None:
    with machines(2) as (here, there):
        for machine in (here, there):
            bring_in(machine.desk)
        card = here.desk.store.cards()[0].id
        set_marks(here.desk.store, [Mark(card, "flag:red", True)], at_ms=here.clock().at_ms)
        export(here.desk, tmp_path / "all")

        brought = bring(there.desk, tmp_path / "all", tmp_path / "there")

        assert (brought.arrivals, brought.problems) == ([], [])
        assert "the same lesson is read from" in brought.left_out[-1][1].reason
        assert marks_of(there.desk.store) == {card: Marked((), "red")}


def test_a_mark_taken_off_here_is_not_put_back_by_a_file(tmp_path: Path) -> None:
    with machines(2) as (here, there):
        with_marks(here, tmp_path)
        export(here.desk, tmp_path / "out" / "d.md", "d")
        bring(there.desk, tmp_path / "out" / "d.md", tmp_path / "there")
        off = [Mark("d/warp", "tag:exam", False), Mark("d/warp", "flag:red", False)]
        set_marks(there.desk.store, off, at_ms=there.clock().at_ms)

        bring(there.desk, tmp_path / "out" / "d.md", tmp_path / "there")
        bring_in(there.desk, (tmp_path / "there",))
        export(there.desk, tmp_path / "again" / "d.md", "d")

        assert marks_of(there.desk.store)["d/warp"] == Marked(("hard",))
        assert "<!-- id: warp, tags: gpu, own: hard -->" in (tmp_path / "again" / "d.md").read_text()


def test_only_the_comment_of_the_card_itself_changes() -> None:
    def parse(text: str) -> Parsed:
        return load.parse(text, "d.md")

    marked = with_own(DECK, {"d/lane": ("tag:a", "flag:red"), "d/gap": ("tag:b",)}, parse)

    changes = [(a, b) for a, b in zip(DECK.split("\n"), marked.split("\n"), strict=True) if a != b]
    assert [after for _, after in changes] == [
        "Q: What is a lane? <!-- id: lane, tags: gpu, own: a, flag: red -->",
        "C: A {{c1::warp}} has {{c2::32}} lanes. <!-- id: gap, own: b -->",
    ]
    assert with_own(marked, {}, parse) == DECK


def test_a_flag_of_no_colour_is_named_by_line(tmp_path: Path) -> None:
    parsed = load.parse("Q: One? <!-- id: x, flag: mauve, own: a -->\nA: 1.\n", "d.md")

    assert [card.own for card in parsed.module.cards] == [("tag:a",)]
    assert [str(p) for p in parsed.problems if "flag" in p.message] == [
        "d.md:1: 'mauve' is no flag; red, orange, green, blue, pink, turquoise, purple are"
    ]
