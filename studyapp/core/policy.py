"""How cards are scheduled: FSRS parameters, wanted retention, steps and limits, checked when they are made."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from studyapp.core.errors import UsageError

DEFAULT_PARAMETERS = (
    0.212,
    1.2931,
    2.3065,
    8.2956,
    6.4133,
    0.8334,
    3.0194,
    0.001,
    1.8722,
    0.1666,
    0.796,
    1.4835,
    0.0614,
    0.2629,
    1.6483,
    0.6014,
    1.8729,
    0.5425,
    0.0912,
    0.0658,
    0.1542,
)
"""FSRS-6 defaults, fitted to many learners. Source: py-fsrs 6.3.2."""

LOWER_BOUNDS = (*[0.001] * 4, 1.0, *[0.001] * 3, 0.0, 0.0, *[0.001] * 4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1)
"""Smallest value of each parameter. Source: py-fsrs 6.3.2; a test compares the tables."""
UPPER_BOUNDS = (
    *[100.0] * 4,
    10.0,
    4.0,
    4.0,
    0.75,
    4.5,
    0.8,
    3.5,
    5.0,
    0.25,
    0.9,
    4.0,
    1.0,
    6.0,
    2.0,
    2.0,
    0.8,
    0.8,
)
"""Largest value of each parameter. Source: py-fsrs 6.3.2; a test compares the tables."""

LOWEST_RETENTION = 0.70
HIGHEST_RETENTION = 0.97
"""Beyond it the workload explodes; Anki warns above the same value."""
LONGEST_INTERVAL_DAYS = 36500
"""A hundred years: Anki's ceiling, and fsrs-rs's for stability."""
LONGEST_STEP = timedelta(hours=12)
"""Steps belong to one sitting or one day; anything longer is the model's business."""

_VERSION = "fsrs6"
_OLD_DECAY = 0.5
"""Decay that the 17- and 19-parameter versions had built in. Source: fsrs-rs 6.6, `check_and_fill_parameters`."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything besides the card's memory that decides when it comes back.

    Raises:
        UsageError: If a value is out of its range; the message gives the range.
    """

    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    """21 numbers; sets of 17 or 19 are converted."""
    desired_retention: float = 0.90
    """Wanted chance of recall when a card comes back, from `LOWEST_RETENTION` to `HIGHEST_RETENTION`."""
    learning_steps: tuple[timedelta, ...] = (timedelta(minutes=1), timedelta(minutes=10))
    relearning_steps: tuple[timedelta, ...] = (timedelta(minutes=10),)
    maximum_interval: int = LONGEST_INTERVAL_DAYS
    """Days, 1 to `LONGEST_INTERVAL_DAYS`."""
    fuzz: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", checked_parameters(self.parameters))
        if not LOWEST_RETENTION <= self.desired_retention <= HIGHEST_RETENTION:
            raise UsageError(
                f"The wanted retention is {self.desired_retention}.",
                f"Choose a number from {LOWEST_RETENTION:.2f} to {HIGHEST_RETENTION:.2f}.",
            )
        if not 1 <= self.maximum_interval <= LONGEST_INTERVAL_DAYS:
            raise UsageError(
                f"The longest interval is {self.maximum_interval} days.",
                f"Choose a number of days from 1 to {LONGEST_INTERVAL_DAYS}.",
            )
        object.__setattr__(self, "learning_steps", _checked_steps("learning", self.learning_steps))
        object.__setattr__(self, "relearning_steps", _checked_steps("relearning", self.relearning_steps))

    @property
    def key(self) -> str:
        """Short name of the parameter set, equal on every machine; stored with each review."""
        return _key(self.parameters)

    @property
    def decay(self) -> float:
        """Exponent of the forgetting curve, positive."""
        return self.parameters[20]


def checked_parameters(parameters: Sequence[float]) -> tuple[float, ...]:
    """Return 21 parameters within their bounds; older sets of 17 or 19 are converted.

    Raises:
        UsageError: If there are not 17, 19 or 21 of them, or one is out of its bounds or not a number.
    """
    values = _as_21(tuple(float(value) for value in parameters))
    for index, (value, low, high) in enumerate(zip(values, LOWER_BOUNDS, UPPER_BOUNDS, strict=True)):
        if not low <= value <= high:
            raise UsageError(
                f"FSRS parameter {index + 1} is {value}.",
                f"It must lie from {low} to {high}.",
            )
    return values


def _as_21(old: tuple[float, ...]) -> tuple[float, ...]:
    """Return the set in its 21-parameter form. Source: fsrs-rs 6.6, `check_and_fill_parameters`."""
    if len(old) == 21:
        return old
    if len(old) == 19:
        return (*old, 0.0, _OLD_DECAY)
    if len(old) == 17 and old[5] > 0:
        difficulty = (old[4] + 2 * old[5], math.log(3 * old[5] + 1) / 3, old[6] + 0.5)
        return (*old[:4], *difficulty, *old[7:], 0.0, 0.0, 0.0, _OLD_DECAY)
    raise UsageError(
        f"There are {len(old)} FSRS parameters, or they are damaged.", "A set has 17, 19 or 21 numbers."
    )


def _checked_steps(name: str, steps: Sequence[timedelta]) -> tuple[timedelta, ...]:
    """Return the steps; they must be positive, at most `LONGEST_STEP` and not shrink."""
    limits = (timedelta(0), *steps)
    ordered = all(earlier <= later for earlier, later in zip(limits, steps, strict=False))
    if not ordered or timedelta(0) in steps or any(step > LONGEST_STEP for step in steps):
        raise UsageError(
            f"The {name} steps are {', '.join(map(str, steps))}.",
            f"Each must be longer than nothing, at most {LONGEST_STEP}, and no shorter than the one before.",
        )
    return tuple(steps)


@lru_cache(maxsize=64)
def _key(parameters: tuple[float, ...]) -> str:
    """Return the version and eight hex digits over the exact numbers."""
    text = ",".join(value.hex() for value in parameters)
    return f"{_VERSION}-{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"
