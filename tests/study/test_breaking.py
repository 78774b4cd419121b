"""Break the claim: the flip is found where it is, noise never counts as one, and the time is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.verdicts import Outcome
from studyapp.experiments.catalog import experiment, experiments
from studyapp.study.breaking import FINE, Breaking, Tried, main_control, plan

HOLDS, FAILS, NOISY, CANNOT = Outcome.HOLDS, Outcome.DOES_NOT_HOLD, Outcome.TOO_NOISY, Outcome.CANNOT_TEST
Nature = Callable[[float], Outcome | None]


def search(nature: Nature, name: str = "width", control: str = "wide", took_s: float = 0.5) -> Breaking:
    claim = experiment(name)
    found = plan(claim, claim.parse_controls({}), control)
    while (value := found.next()) is not None:
        assert len(found.tried) < 200
        outcome = nature(value if isinstance(value, str) else float(value))  # type: ignore[arg-type]
        found.take(Tried(value, outcome, None, None, took_s))
    return found


def test_the_flip_below_the_start_is_closed_in_upon() -> None:
    found = search(lambda width: HOLDS if width >= 200 else FAILS)

    assert found.ended == "found"
    assert found.flip is not None
    kept, flipped = found.flip
    assert flipped < 200 <= kept  # type: ignore[operator]
    assert float(kept) / float(flipped) < FINE
    assert found.sentence == f"Holds down to wide {kept}, does not from wide {flipped} ({len(found.tried)} runs)."
    assert len(found.tried) < 12


@settings(max_examples=60, deadline=None)
@given(st.integers(65, 4095), st.booleans())
def test_any_threshold_is_found_from_either_side(threshold: int, above: bool) -> None:
    found = search(lambda width: HOLDS if (width >= threshold) is above else FAILS, took_s=0.1)

    assert found.flip is not None
    low, high = sorted(float(value) for value in found.flip)
    assert low < threshold <= high
    assert high / low < FINE or high - low <= 1


def test_a_claim_that_does_not_hold_is_searched_for_where_it_does() -> None:
    found = search(lambda width: FAILS if width < 3000 else HOLDS)

    assert found.sentence.startswith("Does not hold up to wide 2")
    assert "it does from wide 3" in found.sentence


def test_where_nothing_flips_the_range_that_was_tried_is_named() -> None:
    found = search(lambda width: HOLDS)

    assert found.ended == "no_flip"
    assert found.flip is None
    assert found.sentence == "Did not flip between wide 64 and 4096: it holds (7 runs)."


def test_what_is_too_noisy_gets_one_more_look_and_never_counts_as_a_flip() -> None:
    found = search(lambda width: HOLDS if width >= 512 else NOISY)

    assert found.ended == "no_flip"
    assert found.flip is None
    assert [one.value for one in found.tried].count(64) == 2
    assert "too noisy at 3 of 7 values" in found.sentence


def test_noise_between_the_two_verdicts_is_told() -> None:
    found = search(lambda width: HOLDS if width >= 600 else NOISY if width > 200 else FAILS)

    assert found.flip is not None
    assert [found.known[value] for value in found.flip] == [HOLDS, FAILS]
    assert found.sentence.endswith(f", too noisy between ({len(found.tried)} runs).")


def test_a_search_in_which_nothing_is_clear_says_so() -> None:
    found = search(lambda width: NOISY, took_s=0.1)

    assert found.ended == "unclear"
    assert found.sentence == "Too noisy or too little to say at every value tried (14 runs)."


def test_a_clear_second_look_counts() -> None:
    looks: list[float] = []

    def nature(width: float) -> Outcome:
        looks.append(width)
        clear = HOLDS if width >= 1024 else FAILS
        return clear if looks.count(width) > 1 else NOISY

    assert search(nature).flip is not None


def test_nothing_is_searched_where_the_claim_cannot_be_tested() -> None:
    found = search(lambda width: CANNOT)

    assert found.ended == "cannot_test"
    assert len(found.tried) == 1
    assert found.sentence == "It cannot be tested here, so there is no verdict to flip (1 run)."


def test_values_beyond_one_that_was_refused_are_not_asked_for() -> None:
    found = search(lambda width: HOLDS if width <= 1024 else None)

    assert found.ended == "no_flip"
    assert max(float(one.value) for one in found.tried) == 2048
    assert "Did not flip between wide 64 and 1024" in found.sentence


def test_the_time_is_kept_and_what_was_found_by_then_is_said() -> None:
    found = search(lambda width: HOLDS, took_s=25.0)

    assert found.ended == "time"
    assert found.spent_s <= 60
    assert len(found.tried) == 2
    assert found.sentence.endswith("The time was up.")


def test_a_stopped_search_asks_for_nothing_more() -> None:
    claim = experiment("width")
    found = plan(claim, claim.parse_controls({}), "wide")
    first = found.next()
    assert first is not None
    found.take(Tried(first, HOLDS, 2.0, "run", 0.1))
    found.stop("cancelled")

    assert found.next() is None
    assert found.sentence == "It holds at wide 1024, and no other value was clear (1 run). Stopped."
    assert found.as_json()["tried"] == [
        {"value": 1024, "outcome": "holds", "measured": 2.0, "run": "run", "took_s": 0.1}
    ]


def test_a_word_control_tries_all_its_choices() -> None:
    found = search(
        lambda choice: FAILS if choice == "relu" else HOLDS,  # type: ignore[comparison-overlap]
        "lost-gradients",
        "activation",
    )

    assert found.ended == "found"
    assert len(found.tried) == 3
    assert found.sentence == "Holds with activation tanh and sigmoid, does not with activation relu (3 runs)."


def test_a_control_that_counts_in_ones_is_halved_to_the_very_step() -> None:
    found = search(lambda depth: HOLDS if depth <= 8 else FAILS, "lost-gradients", "depth")

    assert found.flip == (8, 9)


def test_a_control_that_may_be_zero_is_searched_without_end() -> None:
    found = search(lambda ms: HOLDS if ms > 0 else FAILS, "wait-each-step", "host_ms")

    assert found.ended in ("found", "time")
    assert found.flip is not None
    assert found.flip[1] == 0.0


def test_a_search_may_begin_at_any_number_to_its_last_digit() -> None:
    claim = experiment("master-weights")
    start = claim.parse_controls({"step": "0.00012345678901234567"})
    found = plan(claim, start, "step")

    for outcome in (HOLDS, HOLDS, FAILS):
        value = found.next()
        assert value is not None
        found.take(Tried(value, outcome, None, None, 0.1))

    assert found.tried[0].value == start["step"]
    assert found.flip is not None


def test_the_main_control_is_the_one_the_named_cause_hangs_on() -> None:
    main = main_control(experiment("master-weights"))

    assert main is not None
    assert main.name == "step"
    for claim in experiments():
        assert (main_control(claim) is None) == (not claim.controls)


def test_an_unknown_control_is_refused_by_name() -> None:
    with pytest.raises(Exception, match="no control 'height'; it has: batch, narrow, wide"):
        plan(experiment("width"), {}, "height")
