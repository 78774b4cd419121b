"""The worker's loop: one request after the other, each answered by exactly one final message."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import replace
from typing import Any

from studyapp.core.errors import UsageError
from studyapp.experiments import catalog
from studyapp.experiments.claim import Experiment
from studyapp.experiments.protocol import Failed, Fit, Message, Prepare, Request
from studyapp.experiments.worker import fitting, limits, start
from studyapp.experiments.worker.disturbance import Canary, Thresholds
from studyapp.experiments.worker.run import Run
from studyapp.experiments.worker.wires import Inlet, Outlet, leave

NO_TORCH_EXIT = 3


class Bench:
    """What lives as long as the worker: torch, wires, canary, the weight after warm-up."""

    def __init__(self, torch: Any, inlet: Inlet, outlet: Outlet, cores: int, foreign: bool) -> None:
        self.torch = torch
        self.inlet = inlet
        self.outlet = outlet
        self.cores = cores
        self.foreign = foreign
        self.canary = Canary(torch)
        self.thresholds = Thresholds()
        self.base_mb = limits.rss_mb()
        self.devices_started: set[str] = set()
        self.imported: set[str] = set()

    def find(self, name: str) -> Experiment:
        """Return an experiment by id, or from a file or module where the worker was started with --foreign.

        Raises:
            UsageError: If there is none.
        """
        if self.foreign and ":" in name:
            return _foreign(name)
        return catalog.measurement(name)

    def prepare(self, experiment: Experiment, run: str | None = None) -> None:
        """Import what an experiment needs, once, and say so; start the fork server where processes talk."""
        if experiment.joined:
            from studyapp.experiments.worker import ranks

            ranks.warm()
        missing = tuple(name for name in experiment.prepares if name not in self.imported)
        if missing:
            self.outlet.send(replace(start.warm_up(self.torch, missing, what=", ".join(missing)), run=run))
            self.imported.update(missing)
            self.weigh()

    def weigh(self) -> None:
        """Take the present weight as what the worker needs."""
        self.base_mb = max(self.base_mb, limits.rss_mb())


def serve(inlet: Inlet, outlet: Outlet, *, foreign: bool) -> None:
    """Answer requests until the wire closes (the reading thread then ends the process)."""
    inlet.start()
    granted = start.prepare_process()
    torch = start.import_torch(outlet)
    if torch is None:
        leave(NO_TORCH_EXIT)
    outlet.send(start.ready(torch, granted))
    bench = Bench(torch, inlet, outlet, granted.cores, foreign)
    outlet.send(start.warm_up(torch, (), what="torch"))
    bench.canary.ratios()
    bench.weigh()
    while True:
        _answer(bench, inlet.requests.get())


def _answer(bench: Bench, message: Message) -> None:
    if isinstance(message, Fit):
        bench.outlet.send(fitting.answer(bench, message))
        bench.inlet.forget(message.run)
        return
    if not isinstance(message, (Request, Prepare)):
        return
    try:
        experiment = bench.find(message.experiment)
        if isinstance(message, Prepare):
            bench.prepare(experiment)
            return
        controls = experiment.parse_controls(message.controls)
    except UsageError as error:
        if isinstance(message, Request):
            bench.outlet.send(Failed(run=message.run, failure="usage", why=str(error)))
        return
    bench.outlet.send(Run(bench, message, experiment, controls).go())
    bench.inlet.forget(message.run)


def _foreign(name: str) -> Experiment:
    where, _, attribute = name.rpartition(":")
    try:
        if where.endswith(".py"):
            spec = importlib.util.spec_from_file_location("foreign_experiment", where)
            if spec is None or spec.loader is None:
                raise ImportError(where)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
        found = getattr(module, attribute)
    except (ImportError, AttributeError, OSError, SyntaxError) as error:
        raise UsageError(f"There is no experiment {name!r}: {error}.") from error
    if not isinstance(found, Experiment):
        raise UsageError(f"{name!r} is not an experiment.")
    return found
