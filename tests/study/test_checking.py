"""Checking while one writes: the card as it will look, and the same again at each change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from studyapp.core.cards import Card, ExperimentLink
from studyapp.study.checking import check, preview, watched
from tests.conftest import ROOT


def test_a_preview_shows_what_the_learner_meets_and_not_how_it_is_written() -> None:
    card = Card(
        "k/grow",
        "choice",
        "What **grows**?",
        "- [x] activations\n- [ ] weights\n\nOne set each.",
        ("one per image",),
        (ExperimentLink("kept", {"batch": "8"}),),
    )

    lines = preview(card)

    assert lines[0] == "What grows?"
    assert sorted(line[2:].lstrip("12 ") for line in lines[1:3]) == ["activations", "weights"]
    assert lines[3] == "(The learner chooses first; the order is another each time.)"
    assert lines[5:] == [
        "  - activations",
        "",
        "  One set each.",
        "",
        "  [ ] one per image",
        "",
        "  x  kept (batch=8)",
    ]


def test_a_watched_file_is_checked_at_every_change_and_awaited_while_it_is_gone(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("Q: one? {#a}\nA: 1\n")
    steps: Iterator[Callable[[], object]] = iter(
        [
            lambda: None,
            lambda: deck.write_text("Q: one? {#a}\nA: 1\n\nQ: two? {#b}\nA: 2\n"),
            deck.unlink,
            lambda: deck.write_text("Q: one? {#a}\n"),
        ]
    )
    looks = watched(deck, wait=lambda _: next(steps)())

    counts = [len(next(looks)[0].module.cards) for _ in range(2)]
    problems = next(looks)[0].problems

    assert counts == [1, 2]
    assert "a question without an answer" in problems[0].message


def test_the_complete_lesson_of_the_page_on_writing_has_nothing_to_mend(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    (tmp_path / "loaders.md").write_text(
        page.partition("````markdown\n")[2].partition("````")[0], encoding="utf-8"
    )

    (parsed,) = check(tmp_path / "loaders.md")

    assert [card.id for card in parsed.module.cards] == ["loaders/one-line-test", "loaders/how-many-workers"]
    assert (parsed.problems, parsed.left_out) == ((), ())
