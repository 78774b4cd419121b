"""Q/A decks whose markers are spelt otherwise, in shapes seen in public files."""

import pytest

from studyapp.decks.load import Form, form_of, parse
from studyapp.decks.spelt import fits


def cards(text: str) -> list[tuple[str, str]]:
    return [(card.prompt, card.answer) for card in parse(text, "m.md").module.cards]


@pytest.mark.parametrize(
    "text",
    [
        "**Q:** Why?\n**A:** So.\n\n**Q:** When?\n\n**A:** Now.\n",
        "**Q** Why?\n**A** So.\n\n__Q__: When?\n__A__: Now.\n",
        "**Q: Why?**\n\nA: So.\n\n**Q: When?**\n\nA: Now.\n",
        "- Q: Why?\n- A: So.\n- Q: When?\n- A: Now.\n",
        "- Q: Why?\n  - A: So.\n- Q: When?\n  - A: Now.\n",
        "Q1. Why?\nA1. So.\n\nQ2. When?\nA2. Now.\n",
        "1. Q: Why?\n   A: So.\n2. Q: When?\n   A: Now.\n",
        "**Question 1:** Why?\n\n**Answer:** So.\n\n**Question 2:** When?\n\n**Answer:** Now.\n",
        "Question: Why?\nAnswer: So.\n\nQuestion: When?\nAns: Now.\n",
        "# Title\n\n### Q: Why?\n\nA: So.\n\n### Q: When?\n\nA: Now.\n",
        "q: Why?\na: So.\n\nq: When?\na: Now.\n",
        "**Q：Why?**\n\nA：So.\n\nQ：When?\nA：Now.\n",
        "问：Why?\n答：So.\n\n**问题1：** When?\n**答案：** Now.\n",
        "Q : Why?\nR : So.\n\n**Q2 :** When?\n**Réponse :** Now.\n",
    ],
)
def test_each_spelling_gives_the_cards_it_means(text: str) -> None:
    assert form_of(text, "m.md") is Form.SPELT
    assert cards(text) == [("Why?", "So."), ("When?", "Now.")]


def test_lines_and_ids_stay_where_they_are() -> None:
    parsed = parse("# Nets\n\n- Q: Why? <!-- id: why -->\n- A: So.\n\n  More.\n", "m.md")

    assert [(c.id, c.line, c.prompt, c.answer) for c in parsed.module.cards] == [
        ("why", 3, "Why?", "So.\n\n  More.")
    ]
    assert parsed.module.title == "Nets"
    assert cards("**Q: Why?** <!-- id: why -->\n\n**A:** So.\n") == [("Why?", "So.")]


def test_the_options_of_a_question_are_no_answer() -> None:
    text = "Q1. Which?\n\nA. one\n\nB. two\n\nAnswer: B\n"

    assert cards(text) == [("Which?\n\nA. one\n\nB. two", "B")]


def test_prose_and_code_are_no_deck() -> None:
    assert not fits("```\nQ1: a\nA1: b\n```\n")
    assert not fits("Question: is this an FAQ?\n\nIt is not, for no answer is marked.\n")
    assert not fits("Q. Horatius Flaccus wrote odes.\n\nA. Licinius Archias was tried.\n" + "Q. Ennius too.\n" * 3)
