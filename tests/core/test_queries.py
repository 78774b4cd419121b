from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.queries import KINDS, All, Any, Fact, Not, QueryError, Text, fold, parse, shows_orphans
from studyapp.decks.kinds import ALL


def test_words_side_by_side_must_all_be_there() -> None:
    assert parse("batch  size") == All((Text("batch"), Text("size")))


def test_quotes_keep_words_together_and_take_a_colon_for_a_colon() -> None:
    assert parse('"Batch  Size" "is:due"') == All((Text("batch size"), Text("is:due")))


def test_or_binds_looser_than_standing_side_by_side() -> None:
    assert parse("a b OR c") == Any((All((Text("a"), Text("b"))), Text("c")))


def test_a_minus_takes_the_term_or_the_parentheses_behind_it() -> None:
    assert parse("-tag:x") == Not(Fact("tag", "x"))
    assert parse("-(a OR b)") == Not(Any((Text("a"), Text("b"))))


def test_a_minus_that_stands_alone_or_inside_a_word_is_text() -> None:
    assert parse("a - b-c") == All((Text("a"), Text("-"), Text("b-c")))


def test_code_is_found_without_quotes() -> None:
    assert parse(".item() std::vector http://x") == All((Text(".item()"), Text("std::vector"), Text("http://x")))
    assert parse("(.item() OR b)") == Any((Text(".item()"), Text("b")))


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("is:due", Fact("is", "due")),
        ("IS:Due", Fact("is", "due")),
        ("prop:s<5", Fact("prop", "s", "<", 5.0)),
        ("prop:stability<5", Fact("prop", "s", "<", 5.0)),
        ("prop:r<80%", Fact("prop", "r", "<", 0.8)),
        ("prop:due<=-3", Fact("prop", "due", "<=", -3.0)),
        ("prop:ivl>=30", Fact("prop", "ivl", ">=", 30.0)),
        ("rated:7", Fact("rated", number=7.0)),
        ("rated:7:again", Fact("rated", number=7.0, rating=1)),
        ("flag:red", Fact("flag", "red")),
        ('section:"Why batch"', Fact("section", "why batch")),
        ("experiment:Kept", Fact("experiment", "kept")),
        ("has:experiment", Fact("has", "experiment")),
    ],
)
def test_a_term_with_a_colon_is_a_fact(query: str, fact: Fact) -> None:
    assert parse(query) == fact


@pytest.mark.parametrize(
    ("query", "position", "words"),
    [
        ("a tga:gpu", 2, "Did you mean tag:?"),
        ("is:duee", 3, "Did you mean is:due?"),
        ("is:", 3, "needs something after it: due, new"),
        ("prop:s", 5, "is no comparison"),
        ("prop:x<3", 5, "is no comparison"),
        ("prop:s<50%", 5, "Only the chance of recall"),
        ("rated:x", 6, "is no number of days"),
        ("rated:0", 6, "is no number of days"),
        ("rated:7:9", 6, "no rating"),
        ("introduced:7:1", 11, "is no number of days"),
        ("flag:mauve", 5, "There is no flag:mauve"),
        ("kind:clozes", 5, "Did you mean kind:cloze?"),
        ("added:7", 0, "does not say when a card came in"),
        ('say "open', 4, "never closed"),
        ("(a", 0, "never closed"),
        ("a OR", 2, "OR stands between"),
        ("OR a", 0, "OR stands between"),
        ("b -) c", 2, "Nothing follows"),
        ("a" * 501, 500, "at most 500"),
    ],
)
def test_what_means_nothing_is_said_with_its_place(query: str, position: int, words: str) -> None:
    with pytest.raises(QueryError, match="at character") as caught:
        parse(query)
    assert caught.value.position == position
    assert words in caught.value.message
    assert caught.value.hint


def test_an_empty_query_asks_for_everything() -> None:
    assert parse("") == parse('  "" ') == All()


def test_orphans_are_looked_at_only_where_the_query_says_so_itself() -> None:
    assert shows_orphans(parse("x is:orphan OR y"))
    assert not shows_orphans(parse("-is:orphan x"))


def test_case_accents_and_blanks_say_nothing() -> None:
    assert fold("  CAFÉ\tGroße\n") == "cafe grosse"


@given(st.text(alphabet='ab:()-" OR<>is', max_size=30))
def test_any_text_is_a_query_or_an_error_within_it(query: str) -> None:
    position = 0
    try:
        parse(query)
    except QueryError as error:
        position = error.position
    assert 0 <= position <= len(query)


def test_a_deck_of_anki_is_a_module_or_a_tag() -> None:
    assert parse("deck:GPU::Memory") == Any((Fact("module", "gpu::memory"), Fact("tag", "deck:gpu::memory")))


def test_the_kinds_of_queries_are_those_of_cards_and_their_beginning_is_enough() -> None:
    assert set(KINDS) == set(ALL)
    assert parse("kind:C") == Fact("kind", "c")
