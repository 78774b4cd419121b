"""Two stores become one, whoever merges first and however often: what learners do on two machines, by chance."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from datetime import timedelta
from itertools import permutations
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.study.machine import CARDS, Machine, assert_whole, copied, record

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("answer"), st.sampled_from(CARDS), st.integers(1, 4)),
        st.tuples(st.just("cram"), st.sampled_from(CARDS), st.integers(1, 4)),
        st.tuples(st.sampled_from(["undo", "suspend", "bury"]), st.sampled_from(CARDS), st.just(0)),
        st.tuples(st.just("clock"), st.just(""), st.sampled_from([-400, -1, 1, 3, 40, 400])),
        st.tuples(st.sampled_from(["run", "read", "note"]), st.just(""), st.integers(1, 9)),
    ),
    max_size=7,
)


def live(machine: Machine, steps: list[tuple[str, str, int]]) -> None:
    for what, card, number in steps:
        machine.now += timedelta(minutes=7)
        if what == "answer":
            machine.answer(f"gpu/{card}", number)
        elif what == "cram":
            machine.cram(f"gpu/{card}", number)
        elif what == "undo":
            machine.undo()
        elif what in ("suspend", "bury"):
            getattr(machine, what)(f"gpu/{card}")
        elif what == "clock":
            machine.now += timedelta(days=number)
        else:
            getattr(machine, what)(float(number) if what == "run" else number)


QUICK = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


@QUICK
@given(shared=STEPS, lives=st.tuples(STEPS, STEPS, STEPS), taken=st.integers(0, 5))
def test_a_merge_is_commutative_associative_and_idempotent(
    shared: list[tuple[str, str, int]], lives: tuple[list[tuple[str, str, int]], ...], taken: int
) -> None:
    """Three machines begin as copies of one home; one has other settings; then all merge in some order."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        origin = Machine(folder / "origin" / "study.db").has(*CARDS)
        live(origin, shared)
        homes = [copied(origin, folder / str(n), retention=(0.9, 0.9, 0.8)[n]) for n in range(3)]
        for machine in (origin, *homes):
            stack.enter_context(machine.desk)
        for machine, steps in zip(homes, lives, strict=True):
            live(machine, steps)
        expected = None
        for order in list(permutations(range(3)))[taken], (0, 1, 2):
            first, second, third = (copied(homes[n], folder / f"m{n}{len(list(folder.iterdir()))}") for n in order)
            for machine in (first, second, third):
                stack.enter_context(machine.desk)
            first.merge(second)
            first.merge(third)  # (first + second) + third
            second.merge(third)
            second.merge(homes[order[0]])  # (second + third) + first
            again = first.merge(second)
            assert not again.anything
            assert record(first) == record(second)
            expected = expected or record(first)
            assert record(first) == expected
            assert_whole(first)
            live(first, shared)  # on top of rows whose clocks may have been ahead
            assert_whole(first)
