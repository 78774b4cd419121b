"""Policies: what is refused, what is converted, and the key under which a parameter set is stored."""

from __future__ import annotations

import math
from datetime import timedelta

import fsrs.scheduler
import pytest

from studyapp.core.errors import UsageError
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS, Policy, checked_parameters

OLD_17 = (0.4, 0.6, 2.4, 5.8, 4.93, 0.94, 0.86, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61)
MINUTE = timedelta(minutes=1)


def test_defaults_and_bounds_are_those_of_the_package() -> None:
    assert DEFAULT_PARAMETERS == fsrs.scheduler.DEFAULT_PARAMETERS
    assert LOWER_BOUNDS == fsrs.scheduler.LOWER_BOUNDS_PARAMETERS
    assert UPPER_BOUNDS == fsrs.scheduler.UPPER_BOUNDS_PARAMETERS


def test_vector_10_a_set_of_17_becomes_one_of_21() -> None:
    converted = checked_parameters(OLD_17)

    assert converted[:4] == OLD_17[:4]
    assert converted[4:7] == pytest.approx((6.81, 0.44675013, 1.36), abs=1e-7)
    assert converted[7:] == (*OLD_17[7:], 0.0, 0.0, 0.0, 0.5)


def test_a_set_of_19_gets_the_old_decay() -> None:
    assert checked_parameters(DEFAULT_PARAMETERS[:19])[19:] == (0.0, 0.5)


@pytest.mark.parametrize("count", [0, 18, 20, 22])
def test_a_set_of_another_length_is_refused(count: int) -> None:
    with pytest.raises(UsageError, match=f"There are {count} FSRS parameters"):
        checked_parameters((1.0,) * count)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 101.0])
def test_a_parameter_out_of_its_bounds_is_named(value: float) -> None:
    with pytest.raises(UsageError, match="FSRS parameter 3 is"):
        Policy(parameters=(*DEFAULT_PARAMETERS[:2], value, *DEFAULT_PARAMETERS[3:]))


def test_a_damaged_old_set_is_refused_before_it_is_converted() -> None:
    with pytest.raises(UsageError, match="damaged"):
        checked_parameters((*OLD_17[:5], -1.0, *OLD_17[6:]))


@pytest.mark.parametrize("retention", [0.0, 0.69, 0.98, 1.0, -0.5, math.nan])
def test_a_retention_out_of_range_is_refused_with_the_range(retention: float) -> None:
    with pytest.raises(UsageError, match=r"from 0\.70 to 0\.97"):
        Policy(desired_retention=retention)


@pytest.mark.parametrize("days", [0, -3, 36501])
def test_a_longest_interval_out_of_range_is_refused(days: int) -> None:
    with pytest.raises(UsageError, match="from 1 to 36500"):
        Policy(maximum_interval=days)


@pytest.mark.parametrize(
    "steps", [(timedelta(0),), (-MINUTE,), (10 * MINUTE, MINUTE), (timedelta(hours=13),), (MINUTE, timedelta(0))]
)
def test_steps_that_shrink_vanish_or_last_too_long_are_refused(steps: tuple[timedelta, ...]) -> None:
    with pytest.raises(UsageError, match="The learning steps are"):
        Policy(learning_steps=steps)
    with pytest.raises(UsageError, match="The relearning steps are"):
        Policy(relearning_steps=steps)


def test_no_steps_at_all_are_allowed() -> None:
    assert Policy(learning_steps=(), relearning_steps=()).learning_steps == ()


def test_the_key_names_the_parameters_and_nothing_else() -> None:
    other = Policy(parameters=(0.213, *DEFAULT_PARAMETERS[1:]))

    assert Policy().key == Policy(desired_retention=0.8, fuzz=False).key == "fsrs6-b3d89e94"
    assert other.key != Policy().key
