"""Training FSRS parameters on the learner's log, on one thread of the CPU: the answer to a `Fit` request."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from studyapp.core.optimising import split_day, unpack
from studyapp.core.points import Point
from studyapp.experiments import forgetting, training
from studyapp.experiments.protocol import Cancelled, Failed, Fit, Fitted, Message, PointMessage, Started
from studyapp.experiments.worker import devices, limits

if TYPE_CHECKING:
    from studyapp.experiments.worker.loop import Bench

SECONDS = 120.0
"""Time limit: 250,000 reviews take about 15 s on one quiet core."""
REFIT_PASSES = 20
"""Passes over all reviews after those over the earlier ones: they begin where these ended."""


class _StoppedError(Exception):
    """The training was cancelled, or ran out of time."""


def answer(bench: Bench, request: Fit) -> Message:
    """Train, and return the final message; the log-loss of every pass goes out as a point on the way."""
    begin = time.perf_counter()
    limits.alarm(SECONDS + request.alarm_slack_s)
    bench.outlet.send(
        Started(
            request.run,
            experiment="fit",
            seconds=SECONDS,
            device_name=devices.cpu_name(),
            threads=bench.torch.get_num_threads(),
            cores=bench.cores,
        )
    )
    try:
        found = _Training(bench, request).fit()
    except _StoppedError:
        return Cancelled(request.run, rss_mb=limits.rss_mb(), base_mb=bench.base_mb)
    except Exception as error:  # whatever a log can bring about: the program shows it and keeps the old numbers
        traceback.print_exception(type(error), error, error.__traceback__)
        return Failed(request.run, failure="crashed", why=f"{type(error).__name__}: {devices.one_line(error)}")
    finally:
        limits.alarm(0)
    return Fitted(request.run, **found, took_s=time.perf_counter() - begin)


class _Training:
    """One request: its log, its split, its two trainings."""

    def __init__(self, bench: Bench, request: Fit) -> None:
        self.torch, self.bench, self.request = bench.torch, bench, request
        self.histories = [history for history in unpack(request.history) if history.usable()]
        self.day = split_day(self.histories)
        self.passes = 0

    def fit(self) -> dict[str, Any]:
        """Return the fields of `Fitted`."""
        torch = self.torch
        early = self._train(until_day=self.day, passes=training.PASSES)
        data = forgetting.batches(torch, self.histories)
        old = forgetting.score(torch, self.request.parameters, data, self.day)
        new = forgetting.score(torch, early, data, self.day)
        whole = self._train(passes=REFIT_PASSES, begin=early)
        usable = sum(history.usable() for history in self.histories)
        return {
            "parameters": list(whole),
            "trained": usable - len(old),
            "held_out": len(old),
            "loss_before": float(old.mean()),
            "loss_after": float(new.mean()),
        }

    def _train(self, *, passes: int, until_day: int | None = None, begin: Sequence[float] | None = None) -> Any:
        found: Any = None
        run = self.request.run
        for step in training.train(
            self.torch, self.histories, until_day=until_day, passes=passes, begin=begin, stop=self._stop
        ):
            found, self.passes = step.parameters, self.passes + 1
            self.bench.outlet.send(PointMessage(run, point=Point("loss", self.passes, step.loss)))
        if found is None or self._stop():
            raise _StoppedError
        return found

    def _stop(self) -> bool:
        return self.bench.inlet.cancelled(self.request.run)
