"""Does predicting first make an answer stick? A coin per card, tossed once, and what came of the two arms.

FSRS holds recall near its target for every card, so a plain comparison of cards says nothing: whoever tries a card
chose it. A coin chooses instead. It is the card's own id, hashed, so that all machines of a learner agree.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

from studyapp.core.calibration import WILSON_Z, Share

PREDICT, PLAIN = "predict", "plain"
EXPECTED = (0.87, 0.92)
"""A difference worth finding, in recall the next time."""
POWER_Z = 0.8416
"""Normal quantile of a power of 80 %."""


def arm(card_id: str) -> str:
    """Return which side the card's coin fell on.

    >>> arm("gpus-and-cpus/batch") in (PREDICT, PLAIN)
    True
    """
    digest = hashlib.sha256(f"coin/{card_id}".encode()).digest()
    return PREDICT if digest[0] & 1 else PLAIN


def needed(low: float = EXPECTED[0], high: float = EXPECTED[1]) -> int:
    """Return the answers that each arm needs to tell two shares apart, at 5 % error and 80 % power.

    Source: the two-sample formula for proportions, e.g. Fleiss, Statistical Methods for Rates and Proportions.

    >>> needed()
    587
    """
    spread = low * (1 - low) + high * (1 - high)
    return math.ceil((WILSON_Z + POWER_Z) ** 2 * spread / (high - low) ** 2)


@dataclass(frozen=True)
class Comparison:
    """What came of the two arms since the coin was taken up."""

    predict: Share
    """Next-day reviews of the cards that were to be predicted first: how many were recalled."""
    plain: Share
    growth_predict: float | None
    """Mean factor (geometric) by which an answer changed the stability of these cards; None without answers."""
    growth_plain: float | None
    predicted: int
    """Cards of the first arm that were really predicted."""

    @property
    def lacking(self) -> int:
        """Answers that the smaller arm still needs."""
        return max(0, needed() - min(self.predict.total, self.plain.total))

    @property
    def difference(self) -> tuple[float, float, float] | None:
        """Recall of the first arm minus that of the second with its 95 % interval, or None without answers.

        The interval is Newcombe's hybrid score interval (Statistics in Medicine 17, 1998, method 10).
        """
        first, second = self.predict, self.plain
        if first.value is None or second.value is None or first.interval is None or second.interval is None:
            return None
        middle = first.value - second.value
        below = math.hypot(first.value - first.interval[0], second.interval[1] - second.value)
        above = math.hypot(first.interval[1] - first.value, second.value - second.interval[0])
        return middle, middle - below, middle + above

    @property
    def sentence(self) -> str:
        """What can be said so far, in words; nothing is claimed before there is enough."""
        if self.lacking:
            return f"Too early to say: the smaller side needs {self.lacking} more answers."
        found = self.difference
        assert found is not None  # nothing is lacking, so both sides have answers
        middle, low, high = found
        span = f"{100 * middle:+.1f} points, 95 % interval {100 * low:+.1f} to {100 * high:+.1f}"
        if low > 0:
            return f"Predicting first helps you: {span}."
        if high < 0:
            return f"Predicting first does not help you, rather the contrary: {span}."
        return f"No difference could be shown: {span}."
