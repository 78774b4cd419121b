"""Gradient-boosted trees and a small net for tables, in torch alone, and the tables they are tried on.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

ROUNDS, DEPTH, BINS, SHRINK, RIDGE = 50, 4, 32, 0.2, 1.0
"""Trees, splits per tree, bins per column, learning rate, and what damps a leaf: common defaults."""
HIDDEN, RATE, STEPS, BATCH = 64, 5e-3, 300, 256
"""The net: two hidden layers of so many units, AdamW's rate, updates, rows per update."""


def table(torch: Any, name: str) -> tuple[Any, Any]:
    """Return a shipped table: columns (rows, columns) in float32, and classes from 0."""
    text = (resources.files("studyapp.experiments.claims") / "tables" / f"{name}.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")][1:]
    values = torch.tensor([[float(cell) for cell in line.split(",")] for line in lines])
    return values[:, :-1], values[:, -1].long()


def world(torch: Any, name: str, rows: int) -> tuple[Any, Any]:
    """Return an invented table of 20 columns and two classes, with noise.

    "steps" sums thresholds and products of two, as business tables often are; "smooth" curves along slanted
    directions, each of all columns at once.
    """
    columns = torch.randn(rows, 20)
    if name == "steps":
        signs = (columns > torch.linspace(-1, 1, 20)).float() * 2 - 1
        score = signs[:, 0:4].sum(1) + 2 * signs[:, 4] * signs[:, 5] + 2 * signs[:, 6] * signs[:, 7]
    else:
        slanted = columns @ torch.randn(20, 3) / 20**0.5
        score = 2 * (2 * slanted[:, 0]).sin() + 3 * slanted[:, 1] * slanted[:, 2]
    return columns, (score + torch.randn(rows) > score.median()).long()


def trees_right(torch: Any, train: tuple[Any, Any], test: tuple[Any, Any]) -> float:
    """Return the share of test rows that boosted trees get right, in per cent.

    Oblivious trees: every level asks one question of all its rows. Classes share the questions, not the leaves.
    """
    (columns, classes), (unseen, truth) = train, test
    edges = torch.quantile(columns, torch.linspace(0, 1, BINS + 1)[1:-1], dim=0).T.contiguous()
    bins, new = (torch.searchsorted(edges, part.T.contiguous()).T for part in (columns, unseen))
    kinds = int(classes.max()) + 1
    wanted = torch.nn.functional.one_hot(classes, kinds).float()
    score, guess = torch.zeros(len(columns), kinds), torch.zeros(len(unseen), kinds)
    for _ in range(ROUNDS):
        chance = score.softmax(1)
        pull = torch.cat([chance - wanted, chance * (1 - chance)], 1)  # gradient and curvature per class
        leaf, place = torch.zeros(len(bins), dtype=torch.long), torch.zeros(len(new), dtype=torch.long)
        for level in range(DEPTH):
            column, edge = _question(torch, bins, leaf, pull, 2**level)
            leaf, place = 2 * leaf + (bins[:, column] > edge), 2 * place + (new[:, column] > edge)
        sums = torch.zeros(2**DEPTH, 2 * kinds).index_add_(0, leaf, pull)
        values = -SHRINK * sums[:, :kinds] / (sums[:, kinds:] + RIDGE)
        score, guess = score + values[leaf], guess + values[place]
    return 100 * float((guess.argmax(1) == truth).float().mean())


def _question(torch: Any, bins: Any, leaf: Any, pull: Any, leaves: int) -> tuple[int, int]:
    """Return the column and the bin whose split of every leaf lowers the loss most."""
    columns, kinds = bins.shape[1], pull.shape[1] // 2
    slots = leaf * BINS
    sums = torch.stack(
        [torch.zeros(leaves * BINS, 2 * kinds).index_add_(0, slots + bins[:, c], pull) for c in range(columns)]
    ).view(columns, leaves, BINS, 2 * kinds)
    left = sums.cumsum(2)
    right = left[:, :, -1:] - left
    gain = sum(side[..., :kinds].square() / (side[..., kinds:] + RIDGE) for side in (left, right))
    best = int(gain.sum((1, 3))[:, :-1].argmax())
    return best // (BINS - 1), best % (BINS - 1)


def net_right(torch: Any, train: tuple[Any, Any], test: tuple[Any, Any]) -> float:
    """Return the share of test rows that a net with two hidden layers gets right, in per cent; columns scaled."""
    (columns, classes), (unseen, truth) = train, test
    mean, scale = columns.mean(0), columns.std(0) + 1e-6
    columns, unseen = (columns - mean) / scale, (unseen - mean) / scale
    nn, kinds = torch.nn, int(classes.max()) + 1
    net = nn.Sequential(
        *(nn.Linear(columns.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU()),
        nn.Linear(HIDDEN, kinds),
    )
    update = torch.optim.AdamW(net.parameters(), RATE)
    for _ in range(STEPS):
        some = torch.randint(len(columns), (min(BATCH, len(columns)),))
        loss = nn.functional.cross_entropy(net(columns[some]), classes[some])
        update.zero_grad()
        loss.backward()
        update.step()
    with torch.no_grad():
        return 100 * float((net(unseen).argmax(1) == truth).float().mean())
