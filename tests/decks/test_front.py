"""Front matter: what is read, what is reported."""

import pytest

from studyapp.decks.front import Front, read_front
from studyapp.decks.notes import Notes


def front(text: str) -> tuple[Front, list[tuple[int, str]], list[tuple[int, str]]]:
    notes = Notes("m.md")
    found = read_front(text.split("\n"), notes)
    return (
        found,
        [(p.line, p.message) for p in notes.problems],
        [(item.line, item.reason) for item in notes.left_out],
    )


def test_values_may_be_quoted_and_tags_listed_in_any_way() -> None:
    found, problems, left_out = front("---\nid: a\ntitle: 'x: y'\n# remark\n\ntags:\n  - t\n  - \"u\"\n...\ntext")

    assert found.values == {"id": "a", "title": "x: y"}
    assert found.tags == ("t", "u")
    assert found.end == 9
    assert problems == []
    assert left_out == [(4, "front matter '# remark' is a comment")]  # nothing is dropped in silence
    assert front('---\ntags: ["t", u]\n---')[0].tags == ("t", "u")
    assert front("---\n---")[0].end == 2


@pytest.mark.parametrize(
    "text", ["", "text", "---", "---\n\ntext: no\n", "--- \nQ: a\nA: b\n---", "---\n- a\n---"]
)
def test_what_does_not_look_like_front_matter_is_text(text: str) -> None:
    found, problems, _ = front(text)

    assert found.end == 0
    assert problems == ([(1, "front matter is never closed; end it with a line '---'")] if "text:" in text else [])


def test_malformed_lines_are_reported_and_the_rest_counts() -> None:
    found, problems, left_out = front(
        "---\nid: a b\ntitle: x\n  folded\ntitle: y\nauthor:\n  - me\n  you\nno colon\nsummary: s\n---"
    )

    assert found.values == {"title": "x", "summary": "s"}
    assert problems == [
        (1, "'a b' cannot be a module's id; use letters, digits, '-', '_' and '.'"),
        (4, "front matter 'folded' is not 'key: value' on one line"),
        (5, "front matter has 'title' twice; the first one counts"),
        (9, "front matter 'no colon' is not 'key: value' on one line"),
    ]
    assert left_out == [
        (6, "front matter 'author:' is not used; id, title, summary, tags are"),
        (7, "front matter '- me' is not used"),
        (8, "front matter 'you' is not used"),
    ]
