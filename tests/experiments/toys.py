"""Small experiments for the real worker; each behaves like the fake worker's behaviour of that name.

Loaded by the worker itself (`toys.py:NORMAL` under --foreign), so only it needs torch.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Point
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab


def judge(points: Any, facts: Facts) -> Verdict:
    return Verdict(Outcome.TOO_NOISY, "A toy has no claim.")


def toy(measure: Any, **more: Any) -> Experiment:
    plot = Plot(Axis("x"), Axis("time", "s"), (Lane("time", "time"),))
    return Experiment(measure.__name__, "A toy.", "How long?", "s", plot, measure, judge, **more)


def normal(lab: Lab, size: int) -> Iterator[Point]:
    works = {n: (lambda n=n: lab.torch.ones(n, size) @ lab.torch.ones(size, size)) for n in (1, 2, 4)}
    for n, timing in lab.rounds(works, rounds=3):
        yield timing.point("time", n)


def endless(lab: Lab) -> Iterator[Point]:
    x = 0
    while True:
        x += 1
        time.sleep(0.01)
        yield Point("time", x, 1e-3)


def endless_rounds(lab: Lab) -> Iterator[Point]:
    """Time without ever handing out a point but the first."""
    yield Point("time", 1, 1e-3)
    for _ in lab.rounds({1: lambda: time.sleep(0.01)}, rounds=100_000):
        pass
    yield Point("time", 2, 1e-3)


def deaf(lab: Lab) -> Iterator[Point]:
    """Multiply for minutes between two points."""
    yield Point("time", 1, 1e-3)
    side = lab.torch.ones(1024, 1024)
    for _ in range(100_000):
        lab.torch.mm(side, side)
    yield Point("time", 2, 1e-3)


def brood(lab: Lab) -> Iterator[Point]:
    """Start a child that outlives any patience, and tell its id as x."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield Point("child", child.pid, 1.0)
    time.sleep(600)


def gil(lab: Lab) -> Iterator[Point]:
    """Hold the interpreter's lock in C."""
    yield Point("time", 1, 1e-3)
    ctypes.PyDLL(None).sleep(600)


def crash(lab: Lab) -> Iterator[Point]:
    yield Point("time", 1, 1e-3)
    raise ValueError("on purpose")


def segfault(lab: Lab) -> Iterator[Point]:
    yield Point("time", 1, 1e-3)
    time.sleep(0.05)
    ctypes.string_at(0)


def noise(lab: Lab) -> Iterator[Point]:
    """Write to everything a library might write to."""
    yield Point("time", 1, 1e-3)
    print("a stray print", flush=True)
    os.write(1, b"\xff\xfe from C\n" + b"x" * 5_000_000 + b"\n")
    subprocess.run(["echo", "from a child"], check=True)
    warnings.warn("a warning", stacklevel=1)
    lab.torch.cuda.amp.GradScaler()  # the lesson's own line: warns of its name and of the missing card
    for line in range(20_000):
        os.write(2, b"noise on stderr, line %05d, some fifty characters long\n" % line)
    yield from (Point("time", x, 1e-3) for x in (1.0, 2.0, 4.0))


def nan(lab: Lab) -> Iterator[Point]:
    yield Point("time", 1, float("nan"))
    yield Point("time", 2, float("inf"))
    yield Point("time", 4, 5e-5)


def memory(lab: Lab) -> Iterator[Point]:
    with lab.memory_cap(200_000_000):
        for x in (1, 2, 4096):
            lab.torch.ones(x, 1_000_000)
            yield Point("time", x, 1e-3)


def greedy(lab: Lab) -> Iterator[Point]:
    """Ask for more than the run's own budget, without looking."""
    yield Point("time", 1, 1e-3)
    lab.torch.ones(1_000_000_000)
    yield Point("time", 2, 1e-3)


def refused(lab: Lab) -> Iterator[Point]:
    yield Point("time", 1, 1e-3)


def two_threads(lab: Lab) -> Iterator[Point]:
    lab.threads(2)
    yield Point("threads", 1, lab.torch.get_num_threads())


def one_thread(lab: Lab) -> Iterator[Point]:
    yield Point("threads", 1, lab.torch.get_num_threads())


def surroundings(lab: Lab) -> Iterator[Point]:
    """Tell where descriptor 0 and 1 lead: x 1 if stdin is at its end at once, x 2 if fd 1 is fd 2."""
    yield Point("stdin", 1, float(os.read(0, 1) == b"" and sys.stdin.read() == ""))
    yield Point("stdout", 2, float(os.fstat(1).st_ino == os.fstat(2).st_ino))


NORMAL = toy(normal, controls=(Control("size", 32, "width", 16, 64),))
ENDLESS = toy(endless)
ENDLESS_ROUNDS = toy(endless_rounds)
DEAF = toy(deaf)
HANG = toy(brood)
BROOD = toy(brood)
GIL = toy(gil)
CRASH = toy(crash)
SEGFAULT = toy(segfault)
NOISE = toy(noise)
NAN = toy(nan)
MEMORY = toy(memory)
GREEDY = toy(greedy)
REFUSED = toy(refused, about_bytes=lambda: 2**50)
TWO_THREADS = toy(two_threads)
ONE_THREAD = toy(one_thread)
SURROUNDINGS = toy(surroundings)
DYNAMO = toy(one_thread, prepares=("torch._dynamo",))
