"""The format is told from the content."""

from pathlib import Path

import pytest

from studyapp.core.cards import ExperimentLink
from studyapp.decks.load import load, parse

PROMPT = "> **Say it first:** a {#a}\n>\n> b"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Q: a\nA: b", ["basic"]),
        ("intro\n\n## S\n\nQ: a\nA: b", ["basic"]),
        (f"# T\n\n{PROMPT}", ["say"]),
        (f"{PROMPT}\n\nQ: a\nA: b", ["say"]),
        ("## F {#f .faq}\n\n### q {#q}\n\nQ: a", ["faq"]),
        ("```\nQ: a\nA: b\n```", []),
        ("A: b", []),
        ("", []),
    ],
)
def test_prompts_make_a_lesson_and_markers_a_deck(text: str, kinds: list[str]) -> None:
    assert [card.kind for card in parse(text, "m.txt").module.cards] == kinds


def test_a_file_without_either_is_read_as_a_lesson() -> None:
    parsed = parse("# T\n\nA text.\n\n```\nQ: a\n```", "m.md")

    assert [section.title for section in parsed.module.sections] == ["T"]
    assert "no card in this file" in parsed.problems[0].message


def test_the_catalog_is_asked_in_both_formats() -> None:
    asked: list[str] = []

    def known(link: ExperimentLink) -> str | None:
        asked.append(link.experiment)
        return "unknown"

    deck = parse("Q: a\nA: b\n\n**Try:** [x](experiment:one)", "m.md", known)
    lesson = parse(f"{PROMPT}\n>\n> **Try:** [x](experiment:two)", "m.md", known)

    assert asked == ["one", "two"]
    assert deck.problems[0].message == "unknown"
    assert "unknown" in [problem.message for problem in lesson.problems]


def test_loading_a_single_file_gives_one_module(tmp_path: Path) -> None:
    path = tmp_path / "m.md"
    path.write_text("Q: a\nA: b", encoding="utf-8")

    (parsed,) = load(path)

    assert parsed.module.path == str(path)
    assert len(parsed.module.cards) == 1


def test_a_merge_conflict_keeps_a_file_out_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "m.md").write_text("Q: a\n<<<<<<< HEAD\nA: b\n=======\nA: c\n>>>>>>> x\n", encoding="utf-8")

    (parsed,) = load(tmp_path)

    assert parsed.module.cards == ()
    assert f"{tmp_path / 'm.md'}:2 holds a merge conflict." in parsed.problems[0].message


def test_restructured_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "faq.rst").write_text("Why?\n====\n\nSo.\n", encoding="utf-8")

    (parsed,) = load(tmp_path / "faq.rst")

    assert "reStructuredText" in parsed.problems[0].message
    assert "pandoc" in parsed.problems[0].message


def test_check_lists_what_an_import_of_a_page_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "m.md").write_text("# T\n\n## One\n\nText.\n\n## Two\n")

    (parsed,) = load(tmp_path / "m.md")

    assert [(left.line, left.reason) for left in parsed.left_out] == [(7, "heading with nothing below it: Two")]
    assert len(parsed.added) == 1
