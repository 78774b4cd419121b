"""Ids into files: one comment per card, and not another byte changes."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.cards import Card, Parsed
from studyapp.core.errors import DeckError
from studyapp.decks import load, rewrite
from studyapp.decks.ids import Wanted, add_ids, fresh_id, without_ids

MARK = re.compile(r" ?<!-- id: [\w/-]+ -->")
NAME = "m.md"


def parse(text: str) -> Parsed:
    return load.parse(text, NAME)


def named(text: str) -> tuple[str, list[Wanted]]:
    parsed, taken, wanted = parse(text), list[str](), []
    for card in without_ids(parsed):
        taken.append(fresh_id(card, taken))
        wanted.append(Wanted(card.line, taken[-1]))
    return add_ids(text, wanted, parse)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Q: one?\nA: b", "Q: one? <!-- id: one -->\nA: b"),
        ("\ufeffQ: one?  \r\nA: b  \r\n\r\n\r\n", "\ufeffQ: one? <!-- id: one -->  \r\nA: b  \r\n\r\n\r\n"),
        ("Q: one\rA: b\r", "Q: one <!-- id: one -->\rA: b\r"),
        ("Q: one\ntwo\n\nthree\nA: b", "Q: one\ntwo <!-- id: one-two-three -->\n\nthree\nA: b"),
        ("Q:\n\none\n\nA: b", "Q: <!-- id: one -->\n\none\n\nA: b"),
        ("## F {#f .faq}\n### Why? ###\nyes", "## F {#f .faq}\n### Why? <!-- id: why --> ###\nyes"),
        ("> **Say it first:** q\n>\n> a", "> **Say it first:** q <!-- id: q -->\n>\n> a"),
        ("Q: one <!-- tags: x -->\nA: b", "Q: one <!-- id: one, tags: x -->\nA: b"),
        ("C: a [b] c\n", "C: a [b] c <!-- id: a-b-c -->\n"),
        ("France::Paris\nItaly::Rome\n", "France::Paris <!-- id: france -->\nItaly::Rome <!-- id: italy -->\n"),
        ("Q: one {#o}\nA: b", "Q: one {#o}\nA: b"),
    ],
)
def test_an_id_stands_where_the_question_ends(before: str, after: str) -> None:
    assert named(before) == (after, [])
    assert all(card.explicit_id for card in parse(after).module.cards)


def test_a_question_of_code_alone_gets_its_id_above_the_code() -> None:
    text, left = named("Q:\n\n```\nx\n```\n\nA: b\n\nQ: two\nA: c\n")

    assert left == []
    assert [card.prompt for card in parse(text).module.cards] == ["```\nx\n```", "two"]


def test_an_id_that_is_taken_is_not_written() -> None:
    text = "Q: one <!-- id: x -->\nA: b\n\nQ: two\nA: c\n"

    assert add_ids(text, [Wanted(4, "x")], parse) == (text, [Wanted(4, "x")])


@given(
    st.lists(
        st.sampled_from(
            [
                "Q: a b",
                "A: c  ",
                "Q:",
                "A:",
                "",
                "  ",
                "text",
                "- item",
                "```",
                "---",
                "C: [x] y",
                "> q",
                "# T",
                "\tz",
            ]
        ),
        max_size=14,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
@settings(max_examples=120, deadline=None)
def test_taking_the_comments_out_again_gives_the_file_back(lines: list[str], ending: str) -> None:
    before = ending.join(lines)
    text, left = named(before)

    assert MARK.sub("", text) == before or MARK.sub(" ", text) == before
    missing = {one.line for one in left}
    assert {card.line for card in parse(text).module.cards if not card.explicit_id} == missing


def test_new_ids_are_readable_free_and_told_apart_between_files() -> None:
    card = Card("", "basic", "Wie groß ist `x`, in GB?", "a", explicit_id=False)

    assert fresh_id(card, []) == "wie-gross-ist-x-in"
    assert fresh_id(card, ["wie-gross-ist-x-in"]) == "wie-gross-ist-x-in-2"
    assert fresh_id(card, [], "a.md") != fresh_id(card, [], "b.md")
    assert fresh_id(Card("", "basic", "なに", "a"), []) == "card"


def test_a_file_is_replaced_whole_with_its_mode_and_its_invalid_bytes(tmp_path: Path) -> None:
    path, link = tmp_path / "real.md", tmp_path / "link.md"
    path.write_bytes(b"Q: a \xff\r\nA: b")
    path.chmod(0o640)
    link.symlink_to("real.md")

    exact = rewrite.read_exact(link)
    rewrite.replace_text(exact, exact.text.replace("A: b", "A: c"))

    assert path.read_bytes() == b"Q: a \xff\r\nA: c"
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.md", "real.md"]


def test_utf16_stays_utf16(tmp_path: Path) -> None:
    path = tmp_path / "wide.md"
    path.write_bytes("\ufeffQ: é".encode("utf-16-le"))

    exact = rewrite.read_exact(path)
    rewrite.replace_text(exact, exact.text + "\r\nA: ü")

    assert path.read_bytes() == "\ufeffQ: é\r\nA: ü".encode("utf-16-le")


def test_a_file_that_someone_else_just_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.md"
    path.write_text("Q: a\nA: b", encoding="utf-8")
    exact = rewrite.read_exact(path)
    path.write_text("Q: a\nA: newer", encoding="utf-8")

    with pytest.raises(DeckError, match="changed by another program"):
        rewrite.replace_text(exact, "x")

    assert path.read_text(encoding="utf-8") == "Q: a\nA: newer"


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.md"
    path.write_text("x", encoding="utf-8")
    exact = rewrite.read_exact(path)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)

    with pytest.raises(DeckError, match="No space left"):
        rewrite.replace_text(exact, "y")
    assert [p.name for p in tmp_path.iterdir()] == ["m.md"]


def test_the_number_and_the_hint_of_a_gap_are_no_words_of_an_id() -> None:
    card = parse("C: The {{c1::warp::group}} has {{c2::32}} lanes.\n").module.cards[0]

    assert fresh_id(card, ()) == "the-warp-has-32-lanes"
