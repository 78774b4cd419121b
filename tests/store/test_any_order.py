from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.reviews import Memory
from studyapp.store.database import Store, open_store
from tests.store.build import DAY, DAY_MS, NOW_MS, a_moment, answer, in_review, undo, with_cards

CARDS = "abc"
STEP = st.one_of(
    st.tuples(st.just("answer"), st.sampled_from(CARDS), st.integers(-400, 400)),
    st.tuples(st.just("undo"), st.just(""), st.integers(-400, 400)),
    st.tuples(st.just("bury"), st.sampled_from(CARDS), st.just(0)),
    st.tuples(st.just("reopen"), st.just(""), st.just(0)),
)
"""What a learner may do, with a clock that may stand anywhere within 400 days."""


class Model:
    """What the store should hold: the answers that count, as a stack."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, int, Memory, Memory]] = []
        self.memory = dict.fromkeys(CARDS, Memory())

    def answer(self, card: str, day: int) -> Memory:
        before = self.memory[card]
        after = in_review(day + before.reps + 1, day=day, reps=before.reps + 1)
        self.answers.append((card, day, before, after))
        self.memory[card] = after
        return after

    def undo(self) -> str | None:
        if not self.answers:
            return None
        card, _, before, _ = self.answers.pop()
        self.memory[card] = before
        return card


def _take(store: Store, model: Model, step: tuple[str, str, int]) -> None:
    what, card, shift = step
    clock = {"at_ms": NOW_MS + shift * DAY_MS, "study_day": DAY + shift}
    if what == "answer":
        answer(store, card, after=model.answer(card, DAY + shift), **clock)
    elif what == "undo":
        voided = undo(store, **clock)
        assert (voided.card if voided else None) == model.undo()
    elif what == "bury":
        store.bury(card, DAY + 1, at=a_moment(DAY))


@settings(max_examples=25, deadline=None)
@given(st.lists(STEP, max_size=25))
def test_a10_any_order_of_answers_undos_clocks_and_restarts_leaves_what_counts(
    steps: list[tuple[str, str, int]],
) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = open_store(path, now_ms=NOW_MS)
        try:
            with_cards(store, *CARDS)
            for step in steps:
                if step[0] == "reopen":
                    store.close()
                    store = open_store(path, now_ms=NOW_MS)
                _take(store, model, step)

            assert {card.id: card.memory for card in store.cards()} == model.memory
            kept = [(row.card, row.study_day) for row in store.reviews() if row.rating]
            assert kept == [(card, day) for card, day, _, _ in model.answers]
            days = [day for _, day, _, _ in model.answers]
            assert store.active_days() == {day: days.count(day) for day in sorted(set(days))}
            assert store.integrity() == []
        finally:
            store.close()
