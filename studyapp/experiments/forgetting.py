"""FSRS-6 as a model that torch can train: all cards of a batch unrolled at once, answer by answer.

torch is handed in, so importing this costs nothing. Shapes are (answers, cards), the longest history first in a
batch. Difficulty does not depend on stability, so it is unrolled first and cheaply; stability is kept as its
logarithm, which turns the model's powers into products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.core.optimising import History
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS

RATE = 0.12
"""Adam's first rate, in units of each number's spread among learners; it falls to 0 along a cosine."""
PASSES = 50
"""Passes over all reviews, one step each. On simulated learners of 2,000 to 100,000 reviews, 150 passes lower the
log-loss by less than 0.0002 more."""
START_UNIT = 0.5
"""The unit of a first stability: a step of one changes it by this many powers of e."""
FEWEST_CARDS = 512
"""A batch of fewer is not split further: its steps cost their launches, not their arithmetic."""
PRIOR_SPREAD = (
    *(6.43, 9.66, 17.58, 27.85, 0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33),
    *(0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32, 0.14, 0.27),
)
"""How far the parameters of learners lie apart: few reviews move none of them far. Source: fsrs-rs 6.6."""
START_PRIOR_DAYS = 16.0
"""How strongly a first stability is drawn to everyone's: one nat for so many days. Source: FSRS-Optimizer 6.5."""
_LOWEST, _HIGHEST = math.log(0.001), math.log(36_500.0)
"""Logarithms of the least and the largest stability, days. Source: py-fsrs and fsrs-rs."""
_TINY = 1e-6
"""Keeps a certain forecast from costing infinitely much."""


@dataclass(frozen=True)
class Batch:
    """Some cards' answers as tensors, (answers, cards)."""

    ratings: Any
    """1 to 4, int64; 3 where a card has no more answers."""
    deltas: Any
    """Study days since the answer before, float32."""
    days: Any
    """Study day, int64."""
    usable: Any
    """Whether the answer came a day or more after the one before, bool."""


def batch_of(torch: Any, histories: Sequence[History], device: Any = "cpu") -> Batch:
    """Return histories as one batch, padded to the longest."""
    longest = max(len(h.ratings) for h in histories)

    def grid(rows: Iterator[Sequence[int]], fill: int) -> Any:
        flat = [value for row in rows for value in (*row, *[fill] * (longest - len(row)))]
        return torch.tensor(flat, dtype=torch.int64).view(len(histories), longest).t().contiguous()

    deltas = grid((h.deltas for h in histories), 0)
    return Batch(
        grid((h.ratings for h in histories), 3).to(device),
        deltas.float().to(device),
        grid((h.days for h in histories), 0).to(device),
        (deltas > 0).to(device),
    )


def parameters(torch: Any, values: Sequence[float], device: Any = "cpu") -> Any:
    """Return 21 parameters as a tensor, float32."""
    return torch.tensor(list(values), dtype=torch.float32, device=device)


def difficulties(torch: Any, w: Any, ratings: Any) -> Any:
    """Return each card's difficulty (1-10) after every answer, (answers, cards)."""
    easiest = w[4] - torch.exp(3 * w[5]) + 1
    moved = w[6] * (ratings - 3) / 9  # share of the way towards or from 10 that an answer takes
    keep, add = (1 - w[7]) * (1 + moved), w[7] * easiest - (1 - w[7]) * 10 * moved
    found = [(w[4] - torch.exp(w[5] * (ratings[0] - 1)) + 1).clamp(1, 10)]
    for share, more in zip(keep.unbind()[1:], add.unbind()[1:], strict=True):
        found.append(torch.addcmul(more, share, found[-1]).clamp(1, 10))
    return torch.stack(found)


def recall_log(torch: Any, w: Any, delta: Any, stability: Any) -> Any:
    """Return the logarithm of the chance of recall after so many days; `stability` is a logarithm."""
    return -w[20] * torch.log1p((0.9 ** (-1 / w[20]) - 1) * delta * torch.exp(-stability))


@dataclass(frozen=True)
class Terms:
    """What answers multiply stability by, as far as it does not depend on stability; each (answers, cards)."""

    delta: Any
    """Study days since the answer before."""
    gain: Any
    """Growth of stability by a success."""
    loss: Any
    """Logarithm of what is left of it after forgetting."""
    short: Any
    """Logarithm of what a second answer on the same day makes of it."""
    floor: Any
    """The least of that: a success never lowers stability."""
    passed: Any
    """Whether it was remembered."""
    later: Any
    """Whether it came on a later day."""

    @classmethod
    def of(cls, torch: Any, w: Any, ratings: Any, delta: Any, difficulty: Any) -> Terms:
        """Return the terms of answers given at these difficulties."""
        one = w.new_ones(())
        bonus = torch.stack([one, w[15], one, w[16]])[ratings - 1]
        passed = ratings > 1
        return cls(
            delta,
            torch.exp(w[8]) * (11 - difficulty) * bonus,
            torch.log(w[11]) - w[12] * torch.log(difficulty),
            w[17] * (ratings - 3 + w[18]),
            torch.where(passed, 0.0, -math.inf),
            passed,
            delta > 0,
        )

    def steps(self) -> Iterator[Terms]:
        """Yield the terms of one answer after the other."""
        columns = (self.delta, self.gain, self.loss, self.short, self.floor, self.passed, self.later)
        for step in zip(*(column.unbind() for column in columns), strict=True):
            yield Terms(*step)


def after(torch: Any, w: Any, terms: Terms, stability: Any, chance: Any) -> Any:
    """Return the logarithm of stability after an answer.

    Args:
        torch: The torch module.
        w: 21 parameters.
        terms: Of the answer, or of many.
        stability: Logarithm of stability before it.
        chance: What `recall_log` says of it.
    """
    minus = torch.expm1(chance)  # recall - 1
    grown = terms.gain * torch.exp(-w[9] * stability) * torch.expm1(-w[10] * minus)
    left = torch.log(torch.expm1(w[13] * torch.log1p(torch.exp(stability))))
    failed = torch.minimum(terms.loss + left - w[14] * minus, stability - w[17] * w[18])
    same = torch.maximum(terms.short - w[19] * stability, terms.floor)
    later = torch.where(terms.passed, stability + torch.log1p(grown), failed)
    return torch.where(terms.later, later, stability + same).clamp(_LOWEST, _HIGHEST)


def stabilities(torch: Any, w: Any, batch: Batch, terms: Terms) -> Any:
    """Return the logarithm of stability before every answer but the first, (answers - 1, cards).

    Args:
        torch: The torch module.
        w: 21 parameters.
        batch: The answers.
        terms: Of all answers but the first.
    """
    found = [torch.log(w[:4])[batch.ratings[0] - 1]]
    factor, minus = 0.9 ** (-1 / w[20]) - 1, -w[20]
    for step in terms.steps():
        chance = minus * torch.log1p(factor * step.delta * torch.exp(-found[-1]))
        found.append(after(torch, w, step, found[-1], chance))
    return torch.stack(found[:-1])


def losses(torch: Any, batch: Batch, chance: Any) -> Any:
    """Return the log-loss of every answer but the first, (answers - 1, cards), in nats.

    Args:
        torch: The torch module.
        batch: The answers.
        chance: Logarithm of the chance of recall forecast for each.
    """
    missed = -torch.log((-torch.expm1(chance)).clamp(min=_TINY))
    return torch.where(batch.ratings[1:] > 1, -chance, missed)


def slope(torch: Any, w: Any, batch: Batch, mask: Any) -> tuple[float, Any]:
    """Return the summed log-loss under a mask and its gradient with respect to the parameters.

    The chain of stabilities is walked without autograd; with it known, all answers are one step of one graph, and
    the chain rule along the answers is a product per step: a tenth of the kernels of an unrolled graph.

    Args:
        torch: The torch module.
        w: 21 parameters.
        batch: At least two answers long.
        mask: Which answers but the first count, (answers - 1, cards).
    """
    w = w.detach().requires_grad_(True)
    delta = batch.deltas[1:]
    terms = Terms.of(torch, w, batch.ratings[1:], delta, difficulties(torch, w, batch.ratings)[:-1])
    with torch.no_grad():
        known = stabilities(torch, w, batch, terms)
    known.requires_grad_(True)
    chance = recall_log(torch, w, delta, known)
    result = after(torch, w, terms, known, chance)
    direct = (losses(torch, batch, chance) * mask).sum()
    (weight,) = torch.autograd.grad(direct, known, retain_graph=True)
    (passed_on,) = torch.autograd.grad(result.sum(), known, retain_graph=True)
    weights, shares = weight.unbind(), passed_on.unbind()
    for step in range(len(delta) - 2, -1, -1):
        weights[step].addcmul_(weights[step + 1], shares[step])
    first = torch.log(w[:4])[batch.ratings[0] - 1]
    whole = direct + (weight[1:] * result[:-1]).sum() + (weight[0] * first).sum()
    (found,) = torch.autograd.grad(whole, w)
    return float(direct.detach()), found


def before(batch: Batch, day: int | None) -> Any:
    """Return which answers but the first are usable and earlier than a study day, (answers - 1, cards)."""
    usable = batch.usable[1:]
    return usable if day is None else usable & (batch.days[1:] < day)


def batches(torch: Any, histories: Sequence[History], device: Any = "cpu") -> list[Batch]:
    """Return the histories with a second answer in batches of about equal length, so that little is padded."""
    found: list[Batch] = []
    alike: list[History] = []
    ranked = sorted((h for h in histories if len(h.ratings) > 1), key=lambda h: len(h.ratings))
    for k, history in enumerate(ranked):
        alike.append(history)
        full = len(alike) >= FEWEST_CARDS and len(history.ratings) >= 2 * len(alike[0].ratings)
        if (full and len(ranked) - k > FEWEST_CARDS) or k == len(ranked) - 1:
            found.append(batch_of(torch, alike, device))
            alike = []
    return found


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
            chance = torch.where(passed[:, None] > 0, chance, 1 - chance).clamp(min=_TINY)
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


def score(torch: Any, values: Sequence[float], data: Sequence[Batch], from_day: int | None = None) -> Any:
    """Return the log-loss of every usable answer from a study day on, one flat tensor in a fixed order, nats."""
    found = []
    with torch.no_grad():
        for batch in data:
            w = parameters(torch, values, batch.deltas.device)
            difficulty = difficulties(torch, w, batch.ratings)[:-1]
            terms = Terms.of(torch, w, batch.ratings[1:], batch.deltas[1:], difficulty)
            known = stabilities(torch, w, batch, terms)
            chance = recall_log(torch, w, batch.deltas[1:], known)
            mask = batch.usable[1:] if from_day is None else batch.usable[1:] & (batch.days[1:] >= from_day)
            found.append(losses(torch, batch, chance)[mask].double().cpu())
    return torch.cat(found) if found else torch.zeros(0, dtype=torch.float64)
