"""Decks in the conventions of other programs, in shapes seen in public files."""

import pytest

from studyapp.core.cards import ExperimentLink
from studyapp.decks.conventions import fits, parse
from studyapp.decks.load import Form, form_of
from studyapp.decks.separators import tail


def cards(text: str) -> list[tuple[str, str]]:
    return [(card.prompt, card.answer) for card in parse(text, "m.md").module.cards]


def test_two_colons_with_blanks_make_a_card_of_each_line_and_prose_is_left_out() -> None:
    parsed = parse(
        "# Nets\n\nbatch :: rows at once #net/basic\n- a ::: b <!-- id: ab -->\nplain prose\n\n---\n", "m.md"
    )

    assert parsed.module.title == "Nets"
    assert [(c.id, c.prompt, c.answer, c.tags) for c in parsed.module.cards] == [
        ("", "batch", "rows at once", ("net/basic",)),
        ("ab", "a", "b", ()),
        ("", "b", "a", ()),
    ]
    assert [(left.line, left.reason) for left in parsed.left_out] == [(5, "outside any card: plain prose")]


def test_tight_colons_count_only_where_most_lines_have_them() -> None:
    assert cards("France::Paris\nItaly::Rome\n") == [("France", "Paris"), ("Italy", "Rome")]
    assert not fits("Use at::Tensor or std::vector.\n\nstd::list is another, torch::nn too.\n")
    assert not fits("One line says a::b.\n\nThe others\n\ndo not,\n\nso it is prose.\n")


def test_b01_code_makes_no_card() -> None:
    assert not fits("`a :: b` is Haskell.\n\n```\nx :: Int\n{{c1::y}}\n```\n")
    assert cards("`map :: f` :: a type\n") == [("`map :: f`", "a type")]


def test_a_colon_with_a_tag_or_an_emoji_is_a_card_and_without_them_prose() -> None:
    assert cards("dog : Hund 🐶\ncat : Katze #animal\n") == [("dog", "Hund 🐶"), ("cat", "Katze")]
    assert not fits("note : this is prose\nmore : of it\n")


def test_numbered_gaps_are_cards_in_paragraphs_lists_and_tables() -> None:
    text = (
        "A {{c1::warp::group}} has {{c2::32}} lanes. #gpu <!-- id: w -->\n\n"
        "- a list {{c1::item}}\n\n| {{c1::one}} | 1 |\n|---|---|\n| two | {{c1::2}} |\n"
    )

    parsed = parse(text, "m.md")

    assert [(c.id, c.prompt) for c in parsed.module.cards] == [
        ("w:c1", "A [group] has 32 lanes."),
        ("w:c2", "A warp has […] lanes."),
        (":c1", "a list […]"),
        (":c1", "[…] 1"),
        (":c1", "two […]"),
    ]
    assert parsed.module.cards[0].tags == ("gpu",)


def test_callouts_ask_in_their_title() -> None:
    parsed = parse(
        "> [!question]- Why batch? <!-- id: b -->\n> To fill the lanes.\n>\n> - really\n\n> other quote\n", "m.md"
    )

    assert [(c.id, c.prompt, c.answer) for c in parsed.module.cards] == [
        ("b", "Why batch?", "To fill the lanes.\n\n- really")
    ]
    assert "blockquote outside any card" in parsed.left_out[0].reason


def test_a_line_with_a_question_mark_divides_front_from_back() -> None:
    assert cards("What is a warp\nin one line\n?\n32 lanes\nin step\n") == [
        ("What is a warp\nin one line", "32 lanes\nin step")
    ]
    assert cards("a\n??\nb\n") == [("a", "b"), ("b", "a")]


def test_front_matter_gives_id_title_and_tags_to_all() -> None:
    parsed = parse("---\nid: vocab\ntitle: Words\ntags: [de]\n---\na :: b <!-- id: x -->\n", "m.md")

    assert (parsed.module.id, parsed.module.title) == ("vocab", "Words")
    assert [(card.id, card.tags) for card in parsed.module.cards] == [("vocab/x", ("de",))]


def test_what_cannot_be_a_card_is_said_with_its_line() -> None:
    parsed = parse("a :: b\nc :: d :: e\n\n```\ncode\n```\n", "m.md")

    assert [(problem.line, problem.message) for problem in parsed.problems] == [
        (2, "no card, 2 separators in one line: c :: d :: e")
    ]
    assert "fence outside any card" in parsed.left_out[0].reason
    assert [p.message for p in parse("nothing", "m.md").problems] == ["no card in this file"]


def test_an_empty_side_is_reported() -> None:
    parsed = parse("a :: b\nc ::\n", "m.md")

    assert [(problem.line, problem.message) for problem in parsed.problems] == [
        (2, "no card, the answer is empty: c")
    ]


def test_experiments_in_a_callout_are_checked() -> None:
    asked: list[ExperimentLink] = []

    parse("> [!faq] Q?\n> A\n>\n> **Try:** [x](experiment:kept)\n", "m.md", lambda link: asked.append(link))

    assert [link.experiment for link in asked] == ["kept"]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a :: b\n", Form.CONVENTION),
        ("Q: a :: b\nA: c\n", Form.DECK),
        ("> **Say it first:** a :: b\n>\n> c\n", Form.LESSON),
        ("#separator:tab\na\tb\n", Form.TABLE),
        ("# A title\n\n## FAQ\n\nIs it? Yes, it is.\n", Form.PAGE),
        ("# A title\n\nSome text.\n", Form.PLAIN),
    ],
)
def test_the_form_is_told_from_the_content(text: str, form: Form) -> None:
    assert form_of(text, "m.md") is form


def test_a_line_longer_than_any_card_is_not_searched_for_separators_or_tags() -> None:
    far = " c" * 5000

    assert not fits(f"a :: b{far}")
    assert cards(f"{{{{c1::a}}}} b{far}") == [(f"[…] b{far}", f"**a** b{far}")]


@pytest.mark.parametrize("meant", ["#flashcards/net\n\n", "#card\n", "x::y <!--SR:!2023-01-01,3,250-->\n\n"])
def test_a_tag_or_a_plan_says_that_one_line_and_marked_words_are_cards(meant: str) -> None:
    text = f"{meant}Prose is longer\n\nthan cards\n\nhere.\n\na::b\nc:::d\n\nAn ==apple== and a ==pear==.\n"

    found = [card for card in cards(text) if card[0] != "x"]

    assert found == [
        ("a", "b"),
        ("c", "d"),
        ("d", "c"),
        ("An […] and a pear.", "An **apple** and a pear."),
        ("An apple and a […].", "An apple and a **pear**."),
    ]
    assert not fits(text.removeprefix(meant))


def test_tags_on_a_line_of_their_own_are_those_of_the_cards_below() -> None:
    parsed = parse("a::b\n\n#flashcards/net/basic #gpu\nc::d\n", "m.md")

    assert [card.tags for card in parsed.module.cards] == [(), ("net/basic", "gpu")]
    assert parsed.left_out == ()


def test_another_programs_plan_is_left_out_and_that_is_said_once() -> None:
    parsed = parse("a::b <!--SR:!2023-01-01,3,250-->\n\nc\n?\nd\n<!--SR:!2023-01-01,3,250-->\n", "m.md")

    assert [(card.prompt, card.answer) for card in parsed.module.cards] == [("a", "b"), ("c", "d")]
    assert [(left.line, left.is_remark) for left in parsed.left_out] == [(1, True)]


def test_definition_lists_ask_for_the_meaning() -> None:
    text = "# Words\n\nwarp\n: 32 lanes\n  in step\n\nkernel\n\n:   a function\n\n:   a core\n\nprose\n"

    assert cards(text) == [("warp", "32 lanes\nin step"), ("kernel", "- a function\n- a core")]
    assert not fits("He said\n:wq and left\n")


def test_a_table_whose_first_row_names_question_and_answer_gives_a_card_a_row() -> None:
    text = "| No | **Term** | Meaning |\n|---|---|---|\n| 1 | a \\| b | or |\n| 2 | c | |\n| 3 | | |\n"

    parsed = parse(text, "m.md")

    assert [(c.line, c.prompt, c.answer) for c in parsed.module.cards] == [(3, "a | b", "or")]
    assert [(p.line, p.message) for p in parsed.problems] == [(4, "no card, the answer is empty: c")]
    assert not fits("| size | time |\n|---|---|\n| 1 | 2 |\n")


def test_a_tagged_heading_asks_for_all_below_it() -> None:
    text = (
        "# Nets\n\n## Why? #card <!-- id: why -->\n\nSo.\n\n### More\n\n- x\n\n"
        "## When? #flashcard\n\nNow.\n\n## Rest\n"
    )

    parsed = parse(text, "m.md")

    assert [(c.id, c.prompt, c.answer) for c in parsed.module.cards] == [
        ("why", "Why?", "So.\n\n### More\n\n- x"),
        ("", "When?", "Now."),
    ]
    assert parsed.module.title == "Nets"


def test_notes_between_start_and_end_give_what_their_type_says() -> None:
    text = (
        "Prose.\n\nSTART\nBasic\nWhy?\n\nReally.\nBack: So.\nTags: a b\n<!--ID: 1483-->\nEND\n\n"
        "START\nCloze\nText: A {{c1::warp}}.\nEND\n\n- STARTI [Basic (and reversed card)] one Back: eins ENDI\n\n"
        "```\nSTART\nBasic\nx\nBack: y\nEND\n```\n\nSTART\nnever closed\n"
    )

    parsed = parse(text, "m.md")

    assert [(c.line, c.prompt, c.answer, c.tags) for c in parsed.module.cards] == [
        (3, "Why?\n\nReally.", "So.", ("a", "b")),
        (13, "A […].", "A **warp**.", ()),
        (18, "one", "eins", ()),
        (18, "eins", "one", ()),
    ]
    assert any("START" in left.reason for left in parsed.left_out)


def test_a_question_mark_between_rules_divides_blocks() -> None:
    text = (
        "# Deck\n\n## Part\n____\n\nWhy?\n\n- so\n\n?\n\nFor\n\n1. this\n\n____\n\nWhen?\n\n:question:\n\nNow.\n"
    )

    parsed = parse(text, "m.md")

    assert [(c.line, c.prompt, c.answer) for c in parsed.module.cards] == [
        (6, "Why?\n\n- so", "For\n\n1. this"),
        (18, "When?", "Now."),
    ]
    assert parsed.module.title == "Deck"
    assert not fits("Is it\n\n?\n\nyes\n")


def test_a_flashcard_tag_makes_a_card_of_a_line_with_a_colon_and_of_a_paragraph() -> None:
    text = (
        "# Keys\n\nx : follow link #flashcard #vim\nnote : this is prose\nHow many? : 130k 🐶\n\n"
        "What is a warp #flashcard #gpu\n32 lanes\nin step\n"
    )

    parsed = parse(text, "m.md")

    assert [(c.prompt, c.answer, c.tags) for c in parsed.module.cards] == [
        ("x", "follow link", ("vim",)),
        ("How many?", "130k 🐶", ()),
        ("What is a warp", "32 lanes\nin step", ("gpu",)),
    ]
    assert [(left.line, left.reason) for left in parsed.left_out] == [
        (4, "outside any card: note : this is prose")
    ]
    assert cards("x : a #flashcard\ny : b #flashcard\n") == [("x", "a"), ("y", "b")]


def test_tags_and_emoji_that_end_a_line_are_found_from_its_end() -> None:
    assert tail("cat : Katze #animal #pet") == len("cat : Katze")
    assert tail("dog : Hund🐶 🐶") == len("dog : Hund")
    assert tail("issue#3 and #4 is prose") == len("issue#3 and #4 is prose")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let $a : b :: c : d$ be\n", []),
        ("\\(a :: b\\) is odd\n", []),
        ("$x$ :: a letter\n", [("$x$", "a letter")]),
        ("cost $5 :: back $6\n", [("cost $5", "back $6")]),
        ("map :: (a -> b) -> [a] -> [b]\n(>>=) :: Monad m => m a -> (a -> m b) -> m b\n", []),
        (
            "burning :: C + O2 -> CO2\nrust :: iron\nice :: water\n",
            [("burning", "C + O2 -> CO2"), ("rust", "iron"), ("ice", "water")],
        ),
    ],
)
def test_formulas_and_types_of_functions_hold_no_separator(text: str, expected: list[tuple[str, str]]) -> None:
    assert (cards(text) if fits(text) else []) == expected


def test_one_line_with_a_separator_in_a_longer_text_is_punctuation() -> None:
    prose = "\n".join(f"Line {n} of some notes." for n in range(6))

    assert not fits(f"{prose}\n`impl Trait for T` :: the usual form\n")


def test_what_follows_an_answer_without_a_blank_line_belongs_to_it() -> None:
    text = "What grows?\n?\nThese:\n- one\n- two\n```\ncode\n```\n\n- not this\n"

    parsed = parse(text, "m.md")

    assert [(card.prompt, card.answer) for card in parsed.module.cards] == [
        ("What grows?", "These:\n- one\n- two\n```\ncode\n```")
    ]
    assert [(left.line, left.reason) for left in parsed.left_out] == [(10, "outside any card: not this")]
