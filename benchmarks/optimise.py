"""Training FSRS on a simulated learner's log: our time on one thread, and our log-loss beside fsrs-rs's.

fsrs-rs-python has no licence, so it is an oracle here and never a dependency; without it only our figures are
made. Both train on the same log and are scored on all of it by the same code.

    python -m benchmarks.run optimise
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from benchmarks.ratios import Figure
from studyapp.core.optimising import History, supply
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS
from studyapp.experiments import forgetting, pretended, training
from studyapp.experiments.worker import start

SIZES = ((1_150, 10_000, 1.0), (11_500, 100_000, 10.0))
"""Cards of the simulated learner, about how many answers they get in a year, and the goal in seconds."""
WITHIN = 0.001
"""How much worse than fsrs-rs our log-loss may be, nats."""
ORACLE = "fsrs_rs_python"


def measure(rounds: int = 3) -> list[Figure]:
    """Return seconds and log-losses for both sizes; the smallest time of so many rounds."""
    start.prepare_process()
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    figures = []
    for cards, answers, goal_s in SIZES:
        log = [h for h in pretended.pretend(torch, cards, seed=3) if h.usable()]
        figures += _compare(torch, log, f"{answers:,} reviews", goal_s, rounds)
    return figures


def _compare(torch: Any, log: Sequence[History], name: str, goal_s: float, rounds: int) -> list[Figure]:
    data = forgetting.batches(torch, log)

    def loss(numbers: Sequence[float]) -> float:
        inside = [min(max(n, lo), hi) for n, lo, hi in zip(numbers, LOWER_BOUNDS, UPPER_BOUNDS, strict=True)]
        return float(forgetting.score(torch, inside, data).mean())

    ours_s, numbers = _fastest(lambda: list(training.train(torch, log))[-1].parameters, rounds)
    ours, usable = loss(numbers), supply(log).usable
    detail = (
        f"{sum(len(h.ratings) for h in log):,} answers, {usable:,} usable; defaults {loss(DEFAULT_PARAMETERS):.5f}"
    )
    figures = [Figure(f"train on {name}", ours_s, "s", goal_s, detail)]
    if find_spec(ORACLE) is None:
        return [*figures, Figure(f"log-loss on {name}", ours, "nats", None, f"no {ORACLE} here")]
    theirs_s, theirs_numbers = _fastest(lambda: oracle(log), rounds)
    theirs = loss(theirs_numbers)
    words = f"{ours:.5f} / {theirs:.5f}; fsrs-rs took {theirs_s:.2f} s"
    return [*figures, Figure(f"log-loss on {name}, ours over fsrs-rs's", ours - theirs, "nats", WITHIN, words)]


def oracle(log: Sequence[History]) -> list[float]:
    """Return the parameters that fsrs-rs fits: one item a usable review, holding all answers up to it."""
    rs: Any = importlib.import_module(ORACLE)
    items = []
    for history in log:
        answers = [rs.FSRSReview(r, d) for r, d in zip(history.ratings, history.deltas, strict=True)]
        items += [rs.FSRSItem(answers[: k + 1]) for k, delta in enumerate(history.deltas) if delta > 0]
    return list(rs.FSRS([]).compute_parameters(items))


def _fastest(work: Callable[[], Sequence[float]], rounds: int) -> tuple[float, Sequence[float]]:
    best_s, found = float("inf"), work()
    for _ in range(rounds):
        begin = time.perf_counter()
        found = work()
        best_s = min(best_s, time.perf_counter() - begin)
    return best_s, found
