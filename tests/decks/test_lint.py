"""What `check` says about cards that parse and still ask badly."""

from pathlib import Path

import pytest

from studyapp.decks import lesson, load
from studyapp.decks.lint import BREATH_WORDS
from studyapp.decks.template import lesson_template


def said(tmp_path: Path, **texts: str) -> dict[str, list[str]]:
    """Return "line: message" for every file, by name, as `check` of the folder says it."""
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    found = load.linted(load.load(tmp_path))
    return {Path(p.module.path).stem: [f"{q.line}: {q.message}" for q in p.problems] for p in found}


def test_an_id_or_a_module_id_used_in_two_files_is_named_with_both_places(tmp_path: Path) -> None:
    found = said(
        tmp_path,
        a="---\nid: m\n---\nQ: one <!-- id: x -->\nA: b\n",
        b="---\nid: m\n---\nQ: two <!-- id: x -->\nA: c\n",
        c="Q: three <!-- id: /m/x -->\nA: d\n",
    )

    assert found["a"] == []
    assert found["b"] == [
        f"1: module id 'm' is used in {tmp_path / 'a.md'}:1 too; give one another id",
        f"4: card id 'm/x' is used in {tmp_path / 'a.md'}:4 too; give one another id",
    ]
    assert found["c"] == [f"1: card id 'm/x' is used in {tmp_path / 'a.md'}:4 too; give one another id"]


def test_the_same_question_twice_is_named_within_a_file_and_across_files(tmp_path: Path) -> None:
    found = said(tmp_path, a="Q: What is it?\nA: b\n\nQ: what is  it\nA: c\n", b="Q: What *is* it?\nA: d\n")

    assert found["a"] == ["4: the same question as in line 1: what is  it".replace("  ", " ")]
    assert found["b"] == [f"1: the same question as in {tmp_path / 'a.md'}:1: What *is* it?"]


def test_an_answer_too_long_for_a_breath_is_counted_without_code_tables_and_formulas(tmp_path: Path) -> None:
    long = "word " * (BREATH_WORDS + 1)
    found = said(
        tmp_path,
        long=f"Q: q1\nA: {long}\n",
        checked=f"Q: q2\nA: {long}\n\n**Check:**\n\n- a\n- b\n",
        code=f"Q: q3\nA: short\n\n```\n{long}\n```\n\n| {long} |\n|---|\n\n$$\n{long}\n$$\n",
    )

    assert [f"1: an answer of {BREATH_WORDS + 1} words is too long" in line for line in found["long"]] == [True]
    assert (found["checked"], found["code"]) == ([], [])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What does this module say about width?", "this module"),
        ("Why is the value shown above so low?", "shown above"),
        ("What does the table below compare?", "the table below"),
        ("Without scrolling back, what binds?", "scrolling back"),
        ("Above which batch does it win?", ""),
        ("What lies below the float16 floor?", ""),
    ],
)
def test_a_question_bound_to_the_page_is_named(tmp_path: Path, question: str, words: str) -> None:
    found = said(tmp_path, m=f"Q: {question}\nA: Memory bandwidth.\n")["m"]

    assert [line.split("'")[1] for line in found] == ([words] if words else [])


@pytest.mark.parametrize(
    ("question", "answer", "away"),
    [
        ("Is memory bandwidth what binds a single row?", "Memory bandwidth.", True),
        ("Is it wide or fast?", "Wide.", False),
        ("What binds a single row?", "Memory bandwidth.", False),
        ("Does it hold?", "Yes.", False),
    ],
)
def test_a_question_that_holds_its_answer_is_named(tmp_path: Path, question: str, answer: str, away: bool) -> None:
    found = said(tmp_path, m=f"Q: {question}\nA: {answer}\n")["m"]

    assert any("gives its answer away" in line for line in found) is away


def test_a_gap_whose_words_stand_beside_it_is_named_once_for_all_siblings(tmp_path: Path) -> None:
    found = said(tmp_path, m="C: A {{c1::warp}} is a warp of {{c2::32}} lanes.\n\nC: A {{c1::warp}} has lanes.\n")

    assert [line for line in found["m"] if "away" in line] == [
        "1: the question gives its answer away: A […] is a warp of 32 lanes."
    ]


def test_links_that_lead_nowhere_are_named_and_web_addresses_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "there.png").write_bytes(b"")
    found = said(
        tmp_path,
        m="# A Title, Here\n\n## Part {#p}\n\nQ: q\nA: [a](#a-title-here) [b](#p) [c](#nowhere) ![d](there.png)\n"
        "[e](gone.md#x) [f](https://x.y) [g](mailto:a@b) [h](%00)\n",
    )

    assert found["m"] == [
        "6: no heading for the link to '#nowhere'",
        "7: no file for the link to 'gone.md#x'",
        "7: no file for the link to '%00'",
    ]


def test_a_link_longer_than_any_file_name_leads_nowhere(tmp_path: Path) -> None:
    found = said(tmp_path, m=f"Q: q\nA: [x]({'y' * 5000}.md)\n")

    assert ["no file for the link" in line for line in found["m"]] == [True]


def test_tables_and_pages_are_linted_without_looking_for_links(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("What does this page say?,[x](gone.md)\n", encoding="utf-8")

    (parsed,) = load.linted(load.load(tmp_path))

    assert ["this page" in problem.message for problem in parsed.problems] == [True]


def test_a_file_that_cannot_be_read_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(bytes(range(256)) * 9)

    (parsed,) = load.linted(load.load(tmp_path))

    assert len(parsed.problems) == 1


def test_the_lesson_to_begin_with_has_no_fault(tmp_path: Path) -> None:
    text = lesson_template("mine", "")
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")

    (parsed,) = load.linted(load.load(tmp_path))

    assert (parsed.problems, parsed.left_out) == ((), ())
    assert [card.id for card in lesson.parse(text, "mine.md").module.cards] == [
        "mine/two-parts",
        "mine/ids:c1",
        "mine/ids:c2",
        "mine/answer-length",
    ]
