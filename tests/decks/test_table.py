"""Tables in every dialect: nothing is guessed in silence, nothing is dropped without its line."""

from pathlib import Path

import pytest

from studyapp.core.cards import Parsed
from studyapp.decks import load
from studyapp.decks.files import MAX_TABLE_BYTES
from studyapp.decks.table import MAX_CELL, parse

CASES = Path(__file__).parent / "cases"


def read(name: str) -> Parsed:
    (parsed,) = load.load(CASES / name)
    return parsed


def pairs(parsed: Parsed) -> list[tuple[str, str]]:
    return [(card.prompt, card.answer) for card in parsed.module.cards]


def reasons(parsed: Parsed) -> str:
    return "\n".join(f"{left.line}: {left.reason}" for left in parsed.left_out)


def test_f07_semicolons_behind_a_byte_order_mark_are_shown_as_the_delimiter() -> None:
    parsed = read("F07_bom_semicolon.csv")

    assert pairs(parsed) == [
        ("What, exactly, is a warp?", "32 threads, in step"),
        ('Quote "inside"; and a semicolon', "ok"),
    ]
    assert "delimiter ';' (semicolon), front = column 1, back = column 2" in reasons(parsed)
    assert parsed.problems == ()


def test_f07_leading_settings_quoted_lines_and_rows_that_begin_with_a_hash() -> None:
    parsed = read("F07_multiline_hash.csv")

    assert pairs(parsed) == [
        ("Line one\nline two\n# not a comment", "Answer\ntwo"),
        ("#include <stdio.h> does what?", "pulls in stdio"),
    ]
    assert [card.tags for card in parsed.module.cards] == [("tag1", "tag2"), ("c",)]
    assert [problem.line for problem in parsed.problems] == [8, 9, 10]
    assert "question is missing" in parsed.problems[0].message
    assert "answer is missing" in parsed.problems[1].message
    assert "4 columns where 3 are expected" in parsed.problems[2].message
    assert reasons(parsed).count("setting '#") == 3


def test_f07_latin1_is_detected_and_said() -> None:
    parsed = read("F07_latin1.csv")

    assert pairs(parsed) == [("Größe?", "groß")]
    assert "read as Windows-1252" in reasons(parsed)


def test_f07_utf16_is_read() -> None:
    assert pairs(read("F07_utf16.tsv")) == [("Größe?", "groß")]


def test_f07_commas_inside_text_do_not_make_them_the_delimiter() -> None:
    assert pairs(read("F07_tabs_commas.tsv")) == [("to eat, to dine", "食べる"), ("to drink", "飲む")]


def test_f07_nul_is_reported_with_its_line() -> None:
    parsed = read("F07_nul.csv")

    assert [(problem.line, "NUL" in problem.message) for problem in parsed.problems] == [(2, True)]


@pytest.mark.parametrize(
    "text", ["sep=;\na;b\n", '"sep=;"\na;b\n', "#separator:semicolon\na;b\n", "#separator:;\na;b\n"]
)
def test_f07_the_file_may_name_its_delimiter(text: str) -> None:
    assert pairs(parse(text, "m.csv")) == [("a", "b")]


def test_f07_bare_carriage_returns_end_rows_too() -> None:
    assert pairs(parse("a,b\rc,d\r", "m.csv")) == [("a", "b"), ("c", "d")]


def test_f07_formulas_stay_text() -> None:
    assert pairs(parse("=1+1,=HYPERLINK(1)\n", "m.csv")) == [("=1+1", "=HYPERLINK(1)")]


def test_f07_a_field_of_twenty_million_characters_is_refused_in_words_and_the_rest_is_read() -> None:
    parsed = parse('a,"' + "x" * 20_000_000 + '"\nc,d\n', "m.csv")

    assert pairs(parsed) == [("c", "d")]
    assert f"a cell of 20,000,000 characters; {MAX_CELL:,} are read" in parsed.problems[0].message


def test_f07_a_header_may_name_columns_in_any_order_and_the_unknown_ones_are_named() -> None:
    parsed = parse("Tags;Answer;Notes;Question;ID\nx y;b;n;a;one\n;d;;c;two\n", "m.csv")

    assert [(c.id, c.prompt, c.answer, c.tags) for c in parsed.module.cards] == [
        ("one", "a", "b", ("x", "y")),
        ("two", "c", "d", ()),
    ]
    assert "columns not used: notes" in reasons(parsed)


def test_columns_that_nothing_names_are_not_used_and_said() -> None:
    parsed = parse("a,b,c\nd,e,f\n", "m.csv")

    assert pairs(parsed) == [("a", "b"), ("d", "e")]
    assert "columns not used: column 3" in reasons(parsed)


def test_settings_may_name_columns_that_no_card_has_and_rows_may_be_empty() -> None:
    parsed = parse(
        "#separator:comma\n#notetype column:1\n#deck column:2\nBasic,Deck,a,b\n,,,\nBasic,Deck,c,d\n", "m.csv"
    )

    assert pairs(parsed) == [("a", "b"), ("c", "d")]
    assert parse("#separator:tab", "m.csv").module.cards == ()


def test_a_column_may_say_the_kind_the_key_points_and_the_experiments() -> None:
    text = "prompt,answer,kind,key_points,experiments,id\n"
    text += 'a,b,say,"one\ntwo",[t](experiment:kept?batch=8),m/x\nc,d,basic,,,\n'

    first, second = parse(text, "m.csv").module.cards

    assert (first.kind, first.key_points, first.id) == ("say", ("one", "two"), "m/x")
    assert [(k.experiment, dict(k.controls)) for k in first.experiments] == [("kept", {"batch": "8"})]
    assert (second.kind, second.id, second.explicit_id) == ("basic", "", False)


def test_gaps_in_the_first_column_are_cloze_cards_with_the_rows_id() -> None:
    parsed = parse("id,front,back\nn,a {{c1::b}} {{c2::c}},more\n", "m.csv")

    assert [(c.id, c.kind, c.answer) for c in parsed.module.cards] == [
        ("n:c1", "cloze", "a **b** c\n\nmore"),
        ("n:c2", "cloze", "a b **c**\n\nmore"),
    ]


def test_a_table_without_cards_says_so() -> None:
    assert [p.message for p in parse("", "m.csv").problems] == [
        "no card in this table: a row needs a question and an answer"
    ]


def test_a_table_above_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.truncate(MAX_TABLE_BYTES + 1)

    (parsed,) = load.load(path)

    assert "more than the 64 MiB that are read" in parsed.problems[0].message


def test_a_text_file_with_settings_is_a_table_too(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("#separator:tab\n#html:true\n#tags:a b\nq<br>r\tx &lt; y\n", encoding="utf-8")

    (parsed,) = load.load(path)

    assert pairs(parsed) == [("q\nr", "x < y")]
    assert parsed.module.cards[0].tags == ("a", "b")


def test_a_row_that_cannot_be_read_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studyapp.decks.table.MAX_CELL", 3)

    assert "is a quote missing" in parse('a,b\n"long cell\n', "m.csv").problems[0].message.lower()


def test_lines_with_as_many_tabs_each_are_a_table_whatever_the_name() -> None:
    assert load.form_of("a\tb\nc\td\n", "m.txt") is load.Form.TABLE
    assert load.form_of("a\tb\n\tc\n", "m.txt") is load.Form.PLAIN
    assert load.form_of("a\tb\nc\n", "m.txt") is load.Form.PLAIN
    assert load.form_of("a\tb\n", "m.txt") is load.Form.PLAIN


def test_a_column_of_flags_that_is_no_export_of_ours_is_not_used() -> None:
    parsed = parse("question,answer,flag\nWhich country?,Norway,blue cross\n", "m.csv")

    assert [card.own for card in parsed.module.cards] == [()]
    assert parsed.problems == ()
    assert "columns not used: flag" in [left.reason for left in parsed.left_out]
