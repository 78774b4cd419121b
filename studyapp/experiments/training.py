"""Training FSRS-6 on a log: first stabilities from a grid, then passes of Adam over all reviews.

torch is handed in, so importing this costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.core.optimising import History
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS
from studyapp.experiments.forgetting import TINY, batches, before, parameters, slope

RATE = 0.12
"""Adam's first rate, in units of each number's spread among learners; it falls to 0 along a cosine."""
PASSES = 50
"""Passes over all reviews, one step each. On simulated learners of 2,000 to 100,000 reviews, 150 passes lower the
log-loss by less than 0.0002 more."""
START_UNIT = 0.5
"""The unit of a first stability: a step of one changes it by this many powers of e."""
PRIOR_SPREAD = (
    *(6.43, 9.66, 17.58, 27.85, 0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33),
    *(0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32, 0.14, 0.27),
)
"""How far the parameters of learners lie apart: few reviews move none of them far. Source: fsrs-rs 6.6."""
START_PRIOR_DAYS = 16.0
"""How strongly a first stability is drawn to everyone's: one nat for so many days. Source: FSRS-Optimizer 6.5."""


def first_stabilities(torch: Any, histories: Sequence[History], until_day: int | None = None) -> list[float]:
    """Return a first stability for each rating, days, ascending, from the first review a day or more later.

    The likeliest on a grid, drawn towards everyone's by `START_PRIOR_DAYS`.
    """
    grid = torch.logspace(math.log10(LOWER_BOUNDS[0] * 10), math.log10(UPPER_BOUNDS[0]), 400)
    factor = 0.9 ** (-1 / DEFAULT_PARAMETERS[20]) - 1
    found: list[float] = []
    for rating in range(1, 5):
        pairs = [pair for h in histories if h.ratings[0] == rating for pair in _first_review(h, until_day)]
        usual = DEFAULT_PARAMETERS[rating - 1]
        cost = (grid - usual).abs() / START_PRIOR_DAYS
        if pairs:
            delta, passed = torch.tensor(pairs, dtype=torch.float32).t()
            chance = (1 + factor * delta[:, None] / grid) ** -DEFAULT_PARAMETERS[20]
            chance = torch.where(passed[:, None] > 0, chance, 1 - chance).clamp(min=TINY)
            cost = cost - torch.log(chance).sum(0)
            usual = float(grid[cost.argmin()])
        found.append(max(usual, *found) if found else usual)
    return found


def _first_review(history: History, until_day: int | None) -> list[tuple[int, bool]]:
    """Return the first usable answer as (days, passed), in a list that is empty where there is none in time."""
    day = history.first_day
    for rating, delta in zip(history.ratings, history.deltas, strict=True):
        day += delta
        if until_day is not None and day >= until_day:
            return []
        if delta > 0:
            return [(delta, rating > 1)]
    return []


@dataclass(frozen=True)
class Pass:
    """One pass over the training reviews."""

    number: int
    """From 1."""
    loss: float
    """Mean log-loss before its step, nats."""
    parameters: tuple[float, ...]
    """The 21 numbers after its step, within their bounds."""


def train(
    torch: Any,
    histories: Sequence[History],
    *,
    until_day: int | None = None,
    passes: int = PASSES,
    prior: bool = True,
    begin: Sequence[float] | None = None,
    device: Any = "cpu",
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Pass]:
    """Train FSRS-6 on the reviews before a study day; yield after every pass. The same input, the same numbers.

    Args:
        torch: The torch module.
        histories: At least one with a usable answer before that day.
        until_day: The first study day that is not trained on; None for all.
        passes: Passes over the data, one step each.
        prior: Whether the numbers are drawn towards everyone's.
        begin: Numbers to begin at, where near ones are known; everyone's with the first stabilities of the log.
        device: Where to train.
        stop: Asked before every pass; True ends the training.
    """
    data = batches(torch, histories, device)
    masks = [before(batch, until_day) for batch in data]
    total = max(1, sum(int(mask.sum()) for mask in masks))
    usual = [*first_stabilities(torch, histories, until_day), *DEFAULT_PARAMETERS[4:]]
    start = parameters(torch, usual, device)
    low, high = parameters(torch, LOWER_BOUNDS, device), parameters(torch, UPPER_BOUNDS, device)
    spread = parameters(torch, PRIOR_SPREAD, device)
    adam = _Adam(torch, spread, passes)
    w = start if begin is None else parameters(torch, begin, device)
    for number in range(1, passes + 1):
        if stop():
            return
        found = [slope(torch, w, batch, mask) for batch, mask in zip(data, masks, strict=True)]
        loss = sum(part for part, _ in found)
        pull = 2 * (w - start) / spread**2 if prior else torch.zeros_like(w)
        w = torch.clamp(adam.step(w, (sum(part for _, part in found) + pull) / total), low, high)
        yield Pass(number, loss / total, _inside(w.tolist()))


class _Adam:
    """Adam in units of each number's spread, first stabilities by their logarithm. Kingma and Ba, 2015.

    Its rate falls to 0 along a cosine. torch.optim costs a second to import, and 21 numbers need none of it.
    """

    def __init__(self, torch: Any, spread: Any, steps: int) -> None:
        self._torch = torch
        self._unit = torch.cat([torch.full_like(spread[:4], START_UNIT), spread[4:]])
        self._mean, self._square = torch.zeros_like(spread), torch.zeros_like(spread)
        self._steps, self._done = max(1, steps), 0

    def step(self, w: Any, slope: Any) -> Any:
        """Return the numbers after a step against this gradient."""
        scale = self._torch.cat([w[:4], self._torch.ones_like(w[4:])]) * self._unit
        slope = slope * scale
        rate = RATE * (1 + math.cos(math.pi * self._done / self._steps)) / 2
        self._done += 1
        self._mean = 0.9 * self._mean + 0.1 * slope
        self._square = 0.99 * self._square + 0.01 * slope**2
        mean, square = self._mean / (1 - 0.9**self._done), self._square / (1 - 0.99**self._done)
        way = rate * mean / (square.sqrt() + 1e-8)
        return self._torch.cat([w[:4] * self._torch.exp(-way[:4] * START_UNIT), w[4:] - way[4:] * self._unit[4:]])


def _inside(values: Sequence[float]) -> tuple[float, ...]:
    """Return float32 numbers as doubles within the bounds: a bound of 0.1 is a little more as a float32."""
    return tuple(min(max(v, lo), hi) for v, lo, hi in zip(values, LOWER_BOUNDS, UPPER_BOUNDS, strict=True))
