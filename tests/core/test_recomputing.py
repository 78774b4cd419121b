"""The fast way to an answer's outcome is the package's, to the last bit."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS, Policy
from studyapp.core.recomputing import Recomputer
from studyapp.core.reviews import Memory, Rating, State
from studyapp.core.scheduling import answer

DAY = 739_000
NOW = 1_768_000_000_000
STEPS = [(), (timedelta(minutes=3),), (timedelta(minutes=1), timedelta(minutes=10)), (timedelta(minutes=5),) * 3]


def values(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, field.name) for field in fields(Memory))


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    drawn = [
        draw(st.just(usual) | st.floats(low, high))
        for usual, low, high in zip(DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS, strict=True)
    ]
    return Policy(
        parameters=tuple(drawn),
        desired_retention=draw(st.sampled_from((0.7, 0.9, 0.97))),
        learning_steps=draw(st.sampled_from(STEPS)),
        relearning_steps=draw(st.sampled_from(STEPS)),
        maximum_interval=draw(st.sampled_from((1, 30, 36500))),
        fuzz=draw(st.booleans()),
    )


@settings(max_examples=150, deadline=None)
@given(policies(), st.lists(st.tuples(st.integers(1, 4), st.integers(-3, 400)), max_size=12), st.integers(0, 3))
def test_every_answer_leads_to_the_very_same_memory(
    policy: Policy, answers: list[tuple[int, int]], late: int
) -> None:
    fast, memory, day = Recomputer(policy), Memory(), DAY
    for rating, days in answers:
        day += days if late or days < 40 else 0
        now_ms = NOW + (day - DAY) * 86_400_000
        exact = answer("gpu/a", memory, Rating(rating), now_ms, day, policy).after
        found = fast.after("gpu/a", values(memory), rating, now_ms, day)
        assert found == values(exact)
        assert [type(cell) for cell in found[2:]] == [type(cell) for cell in values(exact)[2:]]
        memory = exact


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(list(State)),
    st.none() | st.integers(0, 5),
    st.none() | st.floats(1e-9, 1e7),
    st.none() | st.floats(1, 10),
    st.none() | st.integers(DAY - 10_000_000, DAY + 9),
    st.integers(0, 40_000),
    st.integers(1, 4),
)
def test_a_memory_that_no_answer_leads_to_is_taken_as_the_package_takes_it(
    state: State,
    step: int | None,
    stability: float | None,
    difficulty: float | None,
    last_day: int | None,
    interval: int,
    rating: int,
) -> None:
    memory = Memory(state, step, stability, difficulty, None, None, last_day, 3, 1, interval)

    exact = answer("b", memory, Rating(rating), NOW, DAY, Policy()).after

    assert Recomputer(Policy()).after("b", values(memory), rating, NOW, DAY) == values(exact)
