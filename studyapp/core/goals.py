"""The day's goal: what makes a study day count for the streak."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

ANSWERS, MINUTES, ALL_DUE = "answers", "minutes", "all due"
ALLOWED = "1 answer, 20 answers, 10 minutes or all due"
_FORM = re.compile(r"(\d+)\s+(answer|minute)s?")
MOST = 1440
"""As many minutes as a day has; more answers are no daily goal either."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a day needs to be active; without an answer it never is."""

    kind: str = ANSWERS
    """"answers", "minutes" or "all due"."""
    amount: int = 1
    """Answers, or minutes of answering; of no meaning for "all due"."""

    @property
    def text(self) -> str:
        """The goal as the setting has it."""
        if self.kind == ALL_DUE:
            return ALL_DUE
        return f"{self.amount} {self.kind if self.amount != 1 else self.kind[:-1]}"

    @property
    def wanted(self) -> str:
        """What is to be done, as the subject of a sentence with a verb in the singular."""
        if self.kind == ALL_DUE:
            return "answering all that is due"
        if self.kind == MINUTES:
            return f"answering for {self.text}"
        return "one answer" if self.amount == 1 else f"giving {self.text}"

    def reached(self, answers: int, seconds: float, all_done: bool) -> bool:
        """Return whether a day reached the goal.

        Args:
            answers: Answers given that day.
            seconds: Time spent answering, each answer capped at a minute.
            all_done: Whether it was noted that day that nothing was left to do.
        """
        if not answers:
            return False
        if self.kind == ALL_DUE:
            return all_done
        return answers >= self.amount if self.kind == ANSWERS else seconds >= self.amount * 60


def parse_goal(text: str) -> Goal:
    """Return the goal that a text names.

    Raises:
        ValueError: If it names none.

    >>> parse_goal("20 answers")
    Goal(kind='answers', amount=20)
    """
    words = " ".join(text.lower().split())
    if words == ALL_DUE:
        return Goal(ALL_DUE)
    found = _FORM.fullmatch(words)
    amount = int(found[1]) if found else math.inf
    if found is None or not 1 <= amount <= MOST:
        raise ValueError(ALLOWED)
    return Goal(f"{found[2]}s", int(amount))
