"""A learner that does not exist: histories drawn from the forgetting curve, for want of enough real ones.

Everything made here is simulated and must be named so. torch is handed in.
"""

from __future__ import annotations

from typing import Any

from studyapp.core.optimising import History
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS
from studyapp.experiments.forgetting import Terms, after, parameters, recall_log

UNLIKE = 0.25
"""How far this learner's true numbers lie from everyone's: each times e to a normal number of this spread."""
_GRADES = (0.12, 0.75, 0.13)
"""Shares of Hard, Good and Easy among what was remembered: a guess at a usual learner."""
_FIRST_GRADES = (0.25, 0.10, 0.55, 0.10)
"""Shares of Again, Hard, Good and Easy among first answers: a guess."""
_LONGEST_DAYS = 365


def truth(torch: Any, seed: int, unlike: float = UNLIKE) -> tuple[float, ...]:
    """Return the pretended learner's own 21 numbers."""
    draw = torch.Generator().manual_seed(seed)
    moved = torch.tensor(DEFAULT_PARAMETERS) * torch.exp(unlike * torch.randn(21, generator=draw))
    starts = sorted(moved[:4].tolist())
    pairs = zip([*starts, *moved[4:].tolist()], LOWER_BOUNDS, UPPER_BOUNDS, strict=True)
    return tuple(min(max(value, low), high) for value, low, high in pairs)


def pretend(
    torch: Any, cards: int, *, days: int = 365, answers: int = 64, seed: int = 1, unlike: float = UNLIKE
) -> list[History]:
    """Return the histories of a pretended learner over some days, scheduled with everyone's numbers for 90 %.

    Args:
        torch: The torch module.
        cards: How many cards, begun evenly over the first half.
        days: Study days that pass.
        answers: Most answers of one card.
        seed: The same seed gives the same learner.
        unlike: How far the learner's true numbers lie from everyone's; 0 is everyone.
    """
    draw = torch.Generator().manual_seed(seed)
    own = parameters(torch, truth(torch, seed, unlike))
    usual = parameters(torch, DEFAULT_PARAMETERS)
    grade = torch.multinomial(torch.tensor(_FIRST_GRADES), cards, True, generator=draw) + 1
    day = (torch.arange(cards) * days) // (2 * cards)
    memory, plan = _Memory(torch, own, grade), _Memory(torch, usual, grade)
    gap = torch.zeros(cards, dtype=torch.int64)
    rows = [(grade, gap, day < days)]
    for _ in range(answers - 1):
        gap = plan.wait(grade, draw)
        day = day + gap
        chance = memory.recall_log(gap.float()).exp()
        passed = torch.rand(cards, generator=draw) < chance
        better = torch.multinomial(torch.tensor(_GRADES), cards, True, generator=draw) + 2
        grade = torch.where(passed | (gap == 0), better, 1)
        memory.answer(grade, gap.float())
        plan.answer(grade, gap.float())
        rows.append((grade, gap, rows[-1][2] & (day < days)))
    grades, gaps, there = (torch.stack(column).t().tolist() for column in zip(*rows, strict=True))
    starts = ((torch.arange(cards) * days) // (2 * cards)).tolist()
    return [
        History(starts[k], tuple(grades[k][: sum(there[k])]), tuple(gaps[k][: sum(there[k])]))
        for k in range(cards)
    ]


class _Memory:
    """Stability and difficulty of every card under one set of numbers."""

    def __init__(self, torch: Any, w: Any, grade: Any) -> None:
        self._torch, self._w = torch, w
        self._stability = torch.log(w[:4])[grade - 1]
        self._difficulty = self._first(grade)

    def _first(self, grade: Any) -> Any:
        w = self._w
        return (w[4] - self._torch.exp(w[5] * (grade - 1)) + 1).clamp(1, 10)

    def recall_log(self, gap: Any) -> Any:
        """Return the logarithm of the chance of recall after so many days."""
        return recall_log(self._torch, self._w, gap, self._stability)

    def wait(self, grade: Any, draw: Any) -> Any:
        """Return the days until the chance of recall is 0.9, a little spread; after Again a second try follows."""
        days = self._torch.exp(self._stability)
        days = days * (0.9 + 0.3 * self._torch.rand(days.shape, generator=draw))
        waited = days.round().clamp(1, _LONGEST_DAYS).to(self._torch.int64)
        return self._torch.where(grade == 1, 0, waited)

    def answer(self, grade: Any, gap: Any) -> None:
        """Take an answer."""
        terms = Terms.of(self._torch, self._w, grade, gap, self._difficulty)
        self._stability = after(self._torch, self._w, terms, self._stability, self.recall_log(gap))
        w = self._w
        easiest = w[4] - self._torch.exp(3 * w[5]) + 1
        moved = self._difficulty - w[6] * (grade - 3) * (10 - self._difficulty) / 9
        self._difficulty = (w[7] * easiest + (1 - w[7]) * moved).clamp(1, 10)
