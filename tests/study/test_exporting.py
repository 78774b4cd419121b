"""Cards out as a table and in again are the same cards."""

from __future__ import annotations

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.cards import Card, ExperimentLink
from studyapp.decks import table
from studyapp.decks.clean import settle
from studyapp.decks.load import parse
from studyapp.study.exporting import COLUMNS, row_of

LINES = [
    "text",
    "a,b;c\td",
    '"quoted"',
    "#comment",
    "=1+1",
    "- item",
    "",
    "```",
    "Größe",
    "sep=;",
    "#separator:tab",
]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=5).map("\n".join)
ANY = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).map(settle)


def as_table(cards: list[Card], delimiter: str) -> str:
    out = io.StringIO(newline="")
    rows = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(row_of(card, "m") for card in cards)
    return out.getvalue()


@given(
    st.lists(
        st.tuples(TEXTS | ANY, TEXTS | ANY, st.sampled_from(["basic", "say", "faq"])), min_size=1, max_size=4
    ),
    st.sampled_from([",", "\t"]),
)
@settings(max_examples=200, deadline=None)
def test_nothing_is_lost_on_the_way_through_a_table(texts: list[tuple[str, str, str]], delimiter: str) -> None:
    cards = [
        Card(
            f"m/{at}",
            kind,
            prompt.strip(),
            answer.strip(),
            ("one", "two"),
            (ExperimentLink("kept", {"batch": "8"}, "words"),),
            tags=("a", "b"),
        )
        for at, (prompt, answer, kind) in enumerate(texts)
        if prompt.strip() and answer.strip() and "{{" not in prompt
    ]

    parsed = table.parse(as_table(cards, delimiter), "m.csv")

    assert [
        (c.id, c.kind, c.prompt, c.answer, c.key_points, [dict(k.controls) for k in c.experiments], c.tags)
        for c in parsed.module.cards
    ] == [(c.id, c.kind, c.prompt, c.answer, c.key_points, [{"batch": "8"}], c.tags) for c in cards]


def test_a_sentence_with_gaps_is_one_row_and_comes_back_as_all_its_cards() -> None:
    cards = parse("C: A {{c1::warp}} has {{c2::32}} lanes. <!-- id: w -->\n\nMore.\n", "m.md").module.cards

    back = table.parse(as_table([cards[0]], ","), "m.csv").module.cards

    assert [(c.id, c.kind, c.prompt, c.answer) for c in back] == [
        (c.id, c.kind, c.prompt, c.answer) for c in cards
    ]
