"""One run: choose the device, refuse what does not fit, measure under limits, report how it went."""

from __future__ import annotations

import contextlib
import socket
import time
import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studyapp.core.points import Point
from studyapp.experiments.claim import Experiment, ran_out_of_memory
from studyapp.experiments.protocol import (
    Cancelled,
    Done,
    Failed,
    Message,
    Note,
    PointMessage,
    Refused,
    Request,
    Started,
)
from studyapp.experiments.worker import devices, limits
from studyapp.experiments.worker.allowance import free_bytes
from studyapp.experiments.worker.disturbance import Watch, judge_busy, shares
from studyapp.experiments.worker.lab import RealLab, Stopped
from studyapp.experiments.worker.neighbours import others

if TYPE_CHECKING:
    from studyapp.experiments.worker.loop import Bench

SHARED_FREE_BYTES = 2e9
"""Below this an accelerator is taken to be someone else's, and is left alone."""


class Run:
    """One execution of an experiment."""

    def __init__(
        self, bench: Bench, request: Request, experiment: Experiment, controls: Mapping[str, Any]
    ) -> None:
        self.bench = bench
        self.request = request
        self.experiment = experiment
        self.controls = dict(controls)
        self.seconds = experiment.seconds if request.seconds is None else request.seconds
        self.points = 0
        self.why_cut = ""
        self._last: Point | None = None

    def go(self) -> Message:
        """Run it and return the final message; points go out on the way."""
        begin = time.perf_counter()
        try:
            choice = self._device()
            refusal = self._too_large(choice.type)
        except devices.NoDeviceError as error:
            return Refused(self.request.run, why=str(error))
        if refusal:
            return Refused(self.request.run, why=refusal)
        self.bench.prepare(self.experiment, self.request.run)
        self._tell_started(choice)
        self.bench.canary.remember(self.request.quiet)
        limits.alarm(self.seconds + self.request.alarm_slack_s)
        try:
            return self._finish(choice, begin)
        finally:
            limits.alarm(0)

    def _device(self) -> devices.Choice:
        wanted = self.request.device
        if wanted != "cpu":
            seen, _ = devices.seen(self.bench.torch)
            for device in (entry for entry in seen[1:] if entry["type"] not in self.bench.devices_started):
                self._note(f"Starting {device['type']}; the first time takes up to 20 s.")
        choice = devices.choose(self.bench.torch, wanted)
        if choice.type not in self.bench.devices_started:
            self.bench.devices_started.add(choice.type)
            self.bench.weigh()
        return self._shared(choice) if choice.type != "cpu" else choice

    def _shared(self, choice: devices.Choice) -> devices.Choice:
        free = devices.free_on(self.bench.torch, choice.type)
        if free is None or free >= SHARED_FREE_BYTES:
            return choice
        why = f"{choice.name} has only {_size(free)} free; another program is using it"
        if self.request.device != "auto":
            raise devices.NoDeviceError(f"{choice.type} cannot be used: {why}.")
        return devices.Choice("cpu", devices.cpu_name(), why)

    def _too_large(self, kind: str) -> str:
        needed = self.experiment.about_bytes(**self.controls)
        free = free_bytes() if kind == "cpu" else devices.free_on(self.bench.torch, kind)
        if free is None or needed <= free:
            return ""
        return f"It needs about {_size(needed)} of memory; {_size(free)} are free."

    def _tell_started(self, choice: devices.Choice) -> None:
        started = Started(
            self.request.run,
            experiment=self.experiment.id,
            seconds=self.seconds,
            device=choice.type,
            device_name=choice.name,
            threads=self.bench.torch.get_num_threads(),
            cores=self.bench.cores,
            why_cpu=choice.why_cpu,
        )
        self.bench.outlet.send(started)

    def _finish(self, choice: devices.Choice, begin: float) -> Message:
        limit = self.bench.thresholds
        found = self.bench.canary.look(limit)
        found["others"] = others(self.bench.torch, choice.type)
        lab = RealLab(
            self.bench.torch,
            self.bench.torch.device(choice.type),
            cores=self.bench.cores,
            seconds=self.seconds,
            stop=lambda: self.bench.inlet.cancelled(self.request.run),
            nproc=self.request.nproc,
            nnodes=self.request.nnodes,
        )
        lab.history = self.request.history
        before = Watch.now()
        final = self._measure(lab)
        found.update(shares(before, Watch.now(), limit))
        with contextlib.suppress(Exception):  # a broken device: the next run finds out by its own kernel
            lab.close()
        limits.give_back()
        if final is not None:
            return final
        for name, ratio in self.bench.canary.look(limit).items():
            found[name] = max(found[name], ratio)
        found["others"] = max(found["others"], others(self.bench.torch, choice.type))
        if lab.ranks_on_cpu and choice.type != "cpu":
            why = f"its processes ran on the CPU: there are fewer cards ({choice.type}) than processes"
            choice = devices.Choice("cpu", devices.cpu_name(), why)
        return self._done(choice, begin, judge_busy(found, limit), found)

    def _measure(self, lab: RealLab) -> Message | None:
        """Measure; return a final message where the run was cancelled or crashed, None where it is done."""
        try:
            with self._budget(lab):
                self._stream(lab)
        except Stopped:
            return self._cancelled()
        except Exception as error:  # whatever an experiment raises
            final = self._explain(error, lab)
        else:
            final = self._cancelled() if self.bench.inlet.cancelled(self.request.run) else None
            if lab.cut_short and not self.why_cut:
                self.why_cut = self._at_limit()
        return final

    def _budget(self, lab: RealLab) -> contextlib.AbstractContextManager[None]:
        if self.request.memory_mb is not None:
            return lab.memory_cap(int(self.request.memory_mb * 1e6))
        free = free_bytes()
        if lab.accelerated or free is None:
            return contextlib.nullcontext()
        return lab.memory_cap(free)

    def _stream(self, lab: RealLab) -> None:
        source = self.experiment.measure(lab, **self.controls)
        try:
            for point in source:
                self.bench.outlet.send(PointMessage(self.request.run, point=point))
                self.points += 1
                self._last = point
                if self.bench.inlet.cancelled(self.request.run):
                    return
                if lab.left_s() <= 0:
                    self.why_cut = self._at_limit()
                    return
        finally:
            source.close()  # type: ignore[attr-defined]  # measure is a generator

    def _explain(self, error: Exception, lab: RealLab) -> Message | None:
        if ran_out_of_memory(error):
            self.why_cut = f"stopped {self._place()}: memory"
            return None
        if lab.left_s() <= 0:  # a measure that misses what the deadline cut off
            self.why_cut = self._at_limit()
            return None
        traceback.print_exception(type(error), error, error.__traceback__)
        why = f"{type(error).__name__}: {devices.one_line(error)}"
        return Failed(self.request.run, failure="crashed", why=why)

    def _at_limit(self) -> str:
        return f"stopped {self._place()}: time limit of {self.seconds:g} s"

    def _place(self) -> str:
        if self._last is None:
            return "before the first point"
        return f"after {self._last.series} at {self._last.x:g}"

    def _cancelled(self) -> Cancelled:
        return Cancelled(self.request.run, rss_mb=limits.rss_mb(), base_mb=self.bench.base_mb)

    def _done(self, choice: devices.Choice, begin: float, busy: str, found: Mapping[str, float]) -> Done:
        torch = self.bench.torch
        more = {
            "torch": str(torch.__version__),
            "machine": socket.gethostname(),
            "driver": str(torch.version.cuda or "") if choice.type == "cuda" else "",
            "free_bytes": free_bytes(),
            "why_busy": busy,
            "why_cpu": choice.why_cpu,
            "quiet": dict(self.bench.canary.best),
            **found,
        }
        facts = {
            "device": choice.type,
            "device_name": choice.name,
            "threads": torch.get_num_threads(),
            "cores": self.bench.cores,
            "controls": self.controls,
            "busy": bool(busy),
            "cut_short": bool(self.why_cut),
            "why_cut": self.why_cut,
            "more": more,
        }
        return Done(
            self.request.run,
            facts=facts,
            points=self.points,
            took_s=time.perf_counter() - begin,
            rss_mb=limits.rss_mb(),
            base_mb=self.bench.base_mb,
        )

    def _note(self, text: str) -> None:
        self.bench.outlet.send(Note(self.request.run, text=text))


def _size(count: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count / 1e3:.0f} kB"
