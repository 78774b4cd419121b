"""What program and worker say to each other: every message with its fields. `wire.py` puts them on lines.

Standard library only, Python 3.10+: both sides import it. Inside a run every message carries the run's id. Unknown
fields are ignored, so that either side may be newer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from studyapp.core.points import Point

VERSION = 1
"""Raised when a message changes its meaning; added fields do not count."""


@dataclass(frozen=True)
class Message:
    """What all messages share."""

    kind: ClassVar[str] = ""
    final: ClassVar[bool] = False
    """Whether a run ends with it: exactly one final message closes every run."""
    run: str | None = None
    """The run it belongs to, None outside a run."""


@dataclass(frozen=True)
class Request(Message):
    """Program to worker: run an experiment."""

    kind: ClassVar[str] = "run"
    experiment: str = ""
    """Experiment id; `module:NAME` or `file.py:NAME` only where the worker was started with --foreign."""
    controls: Mapping[str, Any] = field(default_factory=dict)
    device: str = "auto"
    """"auto", "cpu", "cuda", "mps" or "xpu"."""
    seconds: float | None = None
    """Time limit, from the first moment after device and modules are ready; None = the experiment's own."""
    memory_mb: float | None = None
    """Memory the run may add, in MB; None = what is free."""
    nproc: int | None = None
    """Processes on this host for an experiment of several, through torchrun; None = its own choice."""
    nnodes: int = 1
    """Hosts torchrun joins; its PET_* variables say where they meet."""
    alarm_slack_s: float = 5.0
    """Seconds after the limit at which the worker ends itself, even with the GIL held."""
    fresh: bool = False
    """Whether the run needs a worker to itself, before and after: memory that earlier runs left free would hide a
    memory cap, and a library that was refused memory may stay broken."""
    quiet: Mapping[str, float] = field(default_factory=dict)
    """The fastest canary known on this machine (seconds), so that a fresh worker has a baseline."""
    history: str = ""
    """The learner's log, as `core.optimising.pack` writes it, for what trains on it; empty otherwise."""


@dataclass(frozen=True)
class Fit(Request):
    """Program to worker: train FSRS parameters on the log in `history`."""

    kind: ClassVar[str] = "fit"
    parameters: list[float] = field(default_factory=list)
    """The numbers in force, which the new ones must beat."""


@dataclass(frozen=True)
class Cancel(Message):
    """Program to worker: stop this run."""

    kind: ClassVar[str] = "cancel"


@dataclass(frozen=True)
class Prepare(Message):
    """Program to worker: import what this experiment needs, while the learner is still predicting."""

    kind: ClassVar[str] = "prepare"
    experiment: str = ""


@dataclass(frozen=True)
class Ready(Message):
    """The worker has torch and takes requests."""

    kind: ClassVar[str] = "ready"
    protocol: int = VERSION
    torch: str = ""
    python: str = ""
    host: str = ""
    cpu: str = ""
    """The CPU's model name."""
    threads: int = 1
    """Threads torch uses unless an experiment asks for more."""
    cores: int = 1
    """Cores this worker is allowed: affinity and quota, or the learner's OMP_NUM_THREADS."""
    devices: list[dict[str, Any]] = field(default_factory=list)
    """`{"type", "count", "name"}`; an accelerator is not proven before the first run on it."""
    why_cpu: str = ""
    """One line: why there is no accelerator; empty where there is one."""
    notices: list[str] = field(default_factory=list)
    rss_mb: float = 0.0


@dataclass(frozen=True)
class Warm(Message):
    """A warm-up step is done."""

    kind: ClassVar[str] = "warm"
    what: str = ""
    took_s: float = 0.0
    rss_mb: float = 0.0


@dataclass(frozen=True)
class Started(Message):
    """Device and modules are ready; the time limit runs from here."""

    kind: ClassVar[str] = "started"
    experiment: str = ""
    seconds: float = 8.0
    """The time limit in force."""
    device: str = "cpu"
    device_name: str = ""
    threads: int = 1
    cores: int = 1
    why_cpu: str = ""
    """Why "auto" chose the CPU, in one line."""


@dataclass(frozen=True)
class PointMessage(Message):
    """One point, as it is measured."""

    kind: ClassVar[str] = "point"
    point: Point = field(default_factory=lambda: Point("", math.nan, None))


@dataclass(frozen=True)
class Note(Message):
    """Something the learner may read while waiting."""

    kind: ClassVar[str] = "note"
    text: str = ""


@dataclass(frozen=True)
class Done(Message):
    """The run ended, complete or cut short; `facts` says which."""

    kind: ClassVar[str] = "done"
    final: ClassVar[bool] = True
    facts: dict[str, Any] = field(default_factory=dict)
    points: int = 0
    took_s: float = 0.0
    rss_mb: float = 0.0
    base_mb: float = 0.0
    """What the worker weighed after warm-up on this device."""


@dataclass(frozen=True)
class Fitted(Message):
    """The training ended; the fields are those of `core.optimising.Fit`."""

    kind: ClassVar[str] = "fitted"
    final: ClassVar[bool] = True
    parameters: list[float] = field(default_factory=list)
    trained: int = 0
    held_out: int = 0
    loss_before: float = 0.0
    loss_after: float = 0.0
    took_s: float = 0.0
    """Seconds of training, torch's import left out."""


@dataclass(frozen=True)
class Cancelled(Message):
    """The run was cancelled; points already sent stay valid."""

    kind: ClassVar[str] = "cancelled"
    final: ClassVar[bool] = True
    killed: bool = False
    """Whether the worker had to be killed for it."""
    rss_mb: float = 0.0
    base_mb: float = 0.0


@dataclass(frozen=True)
class Failed(Message):
    """The run, or the worker, failed."""

    kind: ClassVar[str] = "failed"
    final: ClassVar[bool] = True
    failure: str = "crashed"
    """no_torch, torch_broken, usage, crashed; from the runner also died, timeout, start, version; host where the
    other machine cannot be reached."""
    why: str = ""
    hint: str = ""
    """What to do about it, where whoever says so knows."""
    stderr: list[str] = field(default_factory=list)
    """The worker's last lines on stderr, filled in by the runner."""


@dataclass(frozen=True)
class Refused(Message):
    """The run was not begun: no room, or no such device."""

    kind: ClassVar[str] = "refused"
    final: ClassVar[bool] = True
    why: str = ""


KINDS: dict[str, type[Message]] = {
    cls.kind: cls
    for cls in (
        *(Request, Fit, Cancel, Prepare),
        *(Ready, Warm, Started, PointMessage, Note, Done, Fitted, Cancelled, Failed, Refused),
    )
}
"""Every message, by its kind."""
