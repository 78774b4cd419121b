"""A training loop with its loader: packed pictures, unpacking them, a small net, and how fast it all goes.

Meets torch as an argument; a loader process imports this file to unpack. Standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from studyapp.core.figures import Lane
from studyapp.core.points import Point, series
from studyapp.core.verdicts import Outcome, Verdict
from studyapp.experiments.claim import Control, Lab
from studyapp.experiments.judging import in_bytes
from studyapp.experiments.processes import context, shared_room

SIDE, CHANNELS, BATCH = 224, 3, 32
"""ImageNet's usual picture, in colours, and a small batch of them."""
PICTURE_BYTES = CHANNELS * SIDE * SIDE
PICTURES = 10**6
"""More than any run here reads."""
AHEAD = 2
"""Batches a loader process prepares ahead: torch's default `prefetch_factor`."""
MOST_WORKERS = 8
"""Loader processes at the most, even where there are more cores: each takes a core and some 100 MB."""
BLOCKS, LEAST_BLOCKS = 8, 3
"""Blocks of batches that are timed, and the fewest that say anything about their spread."""
SETTLED_WITHIN = 0.25
"""Largest quartile range, as a share of the median, of blocks that agree."""


def packed_picture(torch: Any) -> bytes:
    """Return a smooth picture with some grain, packed as PNG packs it: 151 kB in about 80 % of that."""
    angle = torch.linspace(0, 6, SIDE)
    waves = torch.sin(angle)[:, None] * torch.cos(angle)
    grain = torch.randn(CHANNELS, SIDE, SIDE, generator=torch.Generator().manual_seed(0))
    whole = (128 + 60 * waves + 4 * grain).clamp(0, 255).to(torch.uint8).contiguous()
    return zlib.compress(ctypes.string_at(whole.data_ptr(), PICTURE_BYTES))


def unpack(picture: bytes, times: int) -> bytes:
    """Return the picture's bytes; unpacked so many times over, as a slower format would need."""
    for _ in range(times - 1):
        zlib.decompress(picture)
    return zlib.decompress(picture)


class Pictures:
    """A map-style data set: every item is unpacked anew."""

    def __init__(self, picture: bytes, times: int) -> None:
        self.picture, self.times = picture, times

    def __len__(self) -> int:
        return PICTURES

    def __getitem__(self, index: int) -> Any:
        """Return one picture, (3, 224, 224), bytes."""
        torch: Any = sys.modules["torch"]  # whoever runs a loader has it; no file here imports it
        raw = bytearray(unpack(self.picture, self.times))
        return torch.frombuffer(raw, dtype=torch.uint8).view(CHANNELS, SIDE, SIDE)


class Prepared:
    """A data set whose every item is the same batch, ready in shared memory: a loader without any work."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __len__(self) -> int:
        return PICTURES

    def __getitem__(self, index: int) -> Any:
        """Return the batch."""
        return self.batch


def small_net(torch: Any) -> Any:
    """Return a net that looks at pictures through 4 x 4 pixels: two convolutions and a layer, 5,000 weights."""
    nn = torch.nn
    look = [nn.AvgPool2d(4), nn.Conv2d(CHANNELS, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2)]
    return nn.Sequential(*look, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def training_step(lab: Lab, passes: int) -> Callable[[Any], None]:
    """Return a step of training on one batch, (32, 3, 224, 224) bytes, that goes over it so many times."""
    torch = lab.torch
    net = small_net(torch).to(lab.device)
    sgd = torch.optim.SGD(net.parameters(), lr=1e-3)

    def step(batch: Any) -> None:
        pictures = batch.to(lab.device).float().div_(255)
        for _ in range(passes):
            sgd.zero_grad()
            net(pictures).square().mean().backward()
            sgd.step()

    return step


UNPACK = Control("unpack", 1, "how often each picture is unpacked, as if it were larger", 1, 8, fresh=(1, 2, 4))
PASSES = Control("passes", 1, "how often a step goes over its batch, as if the net were larger", 1, 16)


ALONE = Lane("alone", "no room", "weak")
"""Where loader processes were left out for lack of shared memory: what was measured without."""


def no_room(points: Sequence[Point]) -> Verdict | None:
    """Return the verdict where loader processes were left out, None where they were not."""
    alone = next(iter(series(points, ALONE.id).values()), None)
    if alone is None:
        return None
    room = in_bytes(room_per_worker())
    because = f"No loader process was started: one needs {room} of shared memory, and /dev/shm has too little."
    return Verdict(Outcome.CANNOT_TEST, because, decided_by=(alone,))


def first_batch(lab: Lab, pictures: Pictures) -> Any:
    """Return one batch, unpacked here."""
    return lab.torch.stack([pictures[index] for index in range(BATCH)])


def feeding_bytes(**controls: Any) -> int:
    """Return the bytes of the loader processes, some 60 MB each beside torch's pages, and their batches."""
    return MOST_WORKERS * (60 * 10**6 + room_per_worker()) + 20 * BATCH * PICTURE_BYTES


def workers_allowed(cores: int, room: int | None) -> int:
    """Return how many loader processes may run: one per core, as long as their batches find room.

    >>> workers_allowed(4, None), workers_allowed(64, None), workers_allowed(4, 30_000_000), workers_allowed(4, 0)
    (4, 8, 2, 0)
    """
    fit = MOST_WORKERS if room is None else room // room_per_worker()
    return min(cores, MOST_WORKERS, fit)


def room_per_worker() -> int:
    """Return the bytes of shared memory one loader process may fill: its batches ahead and the one in use."""
    return (AHEAD + 1) * BATCH * PICTURE_BYTES


def workers_here(lab: Lab) -> int:
    """Return how many loader processes may run on this machine."""
    return workers_allowed(lab.cores, shared_room())


def loaded(lab: Lab, pictures: Pictures, workers: int) -> AbstractContextManager[Iterator[Any]]:
    """Hand out the batches of a real DataLoader with so many processes, which end with the block."""
    return _loader(lab, pictures, batch_size=BATCH, num_workers=workers)


def handed_over(lab: Lab, batches: Prepared, pins: bool) -> AbstractContextManager[Iterator[Any]]:
    """Hand out prepared batches from a DataLoader with one process; whether it pins them is the question."""
    return _loader(lab, batches, batch_size=None, num_workers=1, pin_memory=pins)


@contextlib.contextmanager
def _loader(lab: Lab, data: Any, *, num_workers: int, **settings: Any) -> Iterator[Iterator[Any]]:
    more = {"multiprocessing_context": context(), "prefetch_factor": AHEAD} if num_workers else {}
    loader = lab.torch.utils.data.DataLoader(data, num_workers=num_workers, **settings, **more)
    batches = iter(loader)
    try:
        yield batches
    finally:
        for process in getattr(batches, "_workers", []):
            process.kill()  # its own way of ending them may wait for seconds
            process.join()


def shared_batch_fits(count: int) -> bool:
    """Return whether the memory that processes share has room for so many bytes."""
    room = shared_room()
    return room is None or room >= count


class Rates:
    """Times blocks of batches for some seconds; iterating gives the pictures a second, block by block."""

    def __init__(
        self, lab: Lab, batches: Iterator[Any], work: Callable[[Any], object], seconds: float, workers: int = 0
    ) -> None:
        """Take batches from a loader with so many processes, which bring them in bursts of as many."""
        self.lab, self.batches, self.work, self.seconds = lab, batches, work, seconds
        self.skip = 1 + AHEAD * workers
        self.burst = max(1, 2 * workers)
        self.found: list[float] = []

    def points(self, lane: str, x: float) -> Iterator[Point]:
        """Yield the point after every block: the median rate and its quartiles, in pictures per second."""
        for _ in range(self.skip):  # what was prepared while nobody waited is no rate
            if self.lab.left_s() > 0:
                self.work(next(self.batches))
        begin, size = time.perf_counter(), self.burst
        while self.lab.left_s() > 0:
            spent = time.perf_counter() - begin
            if spent >= self.seconds and len(self.found) >= LEAST_BLOCKS:
                return
            took = self._block_s(size)
            if not self.found and took < self.seconds / BLOCKS / 2:
                more = int(size * self.seconds / BLOCKS / max(took, 1e-6))
                size = max(size + self.burst, more - more % self.burst)
                if spent < self.seconds / BLOCKS:
                    continue  # too short to be a block: only tells how many batches make one
            self.found.append(size * BATCH / took)
            yield summary(lane, x, self.found)

    def left_out(self, x: float) -> Iterator[Point]:
        """Yield the rate once more, as that of a loop for whose loader processes there is no room."""
        if self.found:
            yield summary(ALONE.id, x, self.found)

    def _block_s(self, size: int) -> float:
        self.lab.sync()
        begin = time.perf_counter()
        for _ in range(size):
            self.work(next(self.batches))
        self.lab.sync()
        return time.perf_counter() - begin


def summary(lane: str, x: float, rates: list[float]) -> Point:
    """Return the median of the rates with their quartiles."""
    ranked = sorted(rates)
    low, middle, high = (ranked[round(share * (len(ranked) - 1))] for share in (0.25, 0.5, 0.75))
    settled = len(ranked) >= LEAST_BLOCKS and high - low <= SETTLED_WITHIN * middle
    return Point(lane, x, middle, low, high, len(ranked), settled)
