"""Experiments of several processes, and the functions their ranks run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

from studyapp.core.points import Point
from studyapp.experiments.claim import Lab, Rank
from tests.experiments.toys import toy


def greet(rank: Rank, size: int) -> Iterator[Point]:
    """Yield how many there are, then the sum of `size` times every rank's number."""
    print(f"noise from rank {rank.rank}", flush=True)
    yield Point("world", 0, rank.world)
    mine = rank.torch.full((size,), float(rank.rank))
    rank.torch.distributed.all_reduce(mine)
    yield Point("sum", 1, float(mine.sum()))


def fail(rank: Rank) -> Iterator[Point]:
    """Fail on rank 1, after a point of rank 0."""
    yield Point("world", 0, rank.world)
    if rank.rank == 1:
        raise ValueError("on purpose\nand more")
    rank.torch.distributed.barrier()


def vanish(rank: Rank) -> Iterator[Point]:
    """End rank 1 without a word."""
    yield Point("world", 0, rank.world)
    if rank.rank == 1:
        os._exit(7)
    time.sleep(600)


def linger(rank: Rank) -> Iterator[Point]:
    """Yield every rank's process id, then never end."""
    found = rank.torch.zeros(rank.world, dtype=rank.torch.int64)
    found[rank.rank] = os.getpid()
    rank.torch.distributed.all_reduce(found)
    for number, pid in enumerate(found.tolist()):
        yield Point("pid", number, pid)
    time.sleep(600)


def greeting(lab: Lab) -> Iterator[Point]:
    yield from lab.ranks(greet, 2, size=8)


def lingering(lab: Lab) -> Iterator[Point]:
    yield from lab.ranks(linger, 2)


def failing(lab: Lab) -> Iterator[Point]:
    yield from lab.ranks(fail, 2)


GREETING: Any = toy(greeting)
LINGERING: Any = toy(lingering, seconds=60.0)
FAILING: Any = toy(failing)
