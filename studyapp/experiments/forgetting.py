"""FSRS-6 as a model that torch can train: all cards of a batch unrolled at once, answer by answer.

torch is handed in, so importing this costs nothing. Shapes are (answers, cards), the longest history first in a
batch. Difficulty does not depend on stability, so it is unrolled first and cheaply; stability is kept as its
logarithm, which turns the model's powers into products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.core.optimising import History

FEWEST_CARDS = 512
"""A batch of fewer is not split further: its steps cost their launches, not their arithmetic."""
_LOWEST, _HIGHEST = math.log(0.001), math.log(36_500.0)
"""Logarithms of the least and the largest stability, days. Source: py-fsrs and fsrs-rs."""
TINY = 1e-6
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
    missed = -torch.log((-torch.expm1(chance)).clamp(min=TINY))
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
