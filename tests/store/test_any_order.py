from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from studyapp.core.reviews import Memory
from studyapp.store.database import Store, open_store
from tests.store.build import DAY, DAY_MS, NOW_MS, a_moment, a_row, in_review, undo, with_cards

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""Each step writes to the disk: a failure is short enough as it is."""
CARDS = "abc"
STEP = st.one_of(
    st.tuples(st.just("answer"), st.sampled_from(CARDS), st.integers(-400, 400)),
    st.tuples(st.just("undo"), st.just(""), st.integers(-400, 400)),
    st.tuples(st.sampled_from(["bury", "suspend", "both"]), st.sampled_from(CARDS), st.integers(1, 3)),
    st.tuples(st.just("reopen"), st.just(""), st.just(0)),
)
"""What a learner may do, with a clock that may stand anywhere within 400 days."""


@dataclass(frozen=True)
class Learner:
    """What the store should hold of the cards: memory and marks."""

    memory: tuple[Memory, ...] = (Memory(),) * len(CARDS)
    suspended: frozenset[str] = frozenset()
    buried: tuple[int | None, ...] = (None,) * len(CARDS)

    def answered(self, card: str, after: Memory) -> Learner:
        return replace(self, memory=put(self.memory, card, after))

    def with_buried(self, card: str, until: int) -> Learner:
        return replace(self, buried=put(self.buried, card, until))


def put(values: tuple[Any, ...], card: str, value: Any) -> tuple[Any, ...]:
    return tuple(value if name == card else old for name, old in zip(CARDS, values, strict=True))


class Model:
    """The learner's actions that count, as a stack."""

    def __init__(self) -> None:
        self.states = [Learner()]
        self.actions: list[tuple[str, int | None]] = []

    def do(self, card: str, day: int | None, state: Learner) -> None:
        self.states.append(state)
        self.actions.append((card, day))

    def undo(self) -> str | None:
        if not self.actions:
            return None
        self.states.pop()
        return self.actions.pop()[0]


def _take(store: Store, model: Model, step: tuple[str, str, int]) -> None:
    what, card, shift = step
    clock = {"at_ms": NOW_MS + shift * DAY_MS, "study_day": DAY + shift}
    now = model.states[-1]
    if what in ("answer", "both"):
        reps = now.memory[CARDS.index(card)].reps + 1
        after = in_review(DAY + shift + reps, day=DAY + shift, reps=reps)
        new, effects = now.answered(card, after), []
        if what == "both":  # a sibling is buried along with the answer
            sibling = CARDS[(CARDS.index(card) + 1) % len(CARDS)]
            new, effects = new.with_buried(sibling, DAY + 1), [(sibling, f"bury {DAY + 1}")]
        row = a_row(card, before=now.memory[CARDS.index(card)], after=after, **clock)
        store.record(row, expected=now.memory[CARDS.index(card)], effects=effects)
        model.do(card, DAY + shift, new)
    elif what == "undo":
        voided = undo(store, **clock)
        assert (voided.card if voided else None) == model.undo()
    elif what == "bury":
        store.bury(card, DAY + shift, at=a_moment(DAY))
        model.do(card, None, now.with_buried(card, DAY + shift))
    elif what == "suspend":
        suspended = now.suspended ^ {card}
        store.set_suspended(card, card in suspended, at=a_moment(DAY))
        model.do(card, None, replace(now, suspended=suspended))


@settings(max_examples=25, deadline=None, phases=NO_SHRINKING)
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

            found = Learner(
                tuple(card.memory for card in store.cards()),
                frozenset(card.id for card in store.cards() if card.suspended),
                tuple(card.buried_until_day for card in store.cards()),
            )
            assert found == model.states[-1]
            kept = [(row.card, row.study_day) for row in store.reviews() if row.rating]
            assert kept == [(card, day) for card, day in model.actions if day is not None]
            days = [day for _, day in model.actions if day is not None]
            assert store.active_days() == {day: days.count(day) for day in sorted(set(days))}
            assert store.integrity() == []
        finally:
            store.close()
