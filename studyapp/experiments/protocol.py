"""The lines that travel between program and worker: one strict JSON object each, told by a marker.

Standard library only, Python 3.10+: both sides import it. Every message carries `"studyapp": VERSION` and, inside
a run, the run's id, so that a stray print is never taken for a message. Unknown fields are ignored, so that either
side may be newer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from studyapp.core.points import Point

MARKER = "studyapp"
"""The key that tells a message from noise; its value is the version."""
VERSION = 1
"""Raised when a message changes its meaning; added fields do not count."""
LINE_LIMIT_BYTES = 1_000_000
"""A longer line is noise: the longest real message, `done`, stays below 10 kB."""


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


_KINDS: dict[str, type[Message]] = {
    cls.kind: cls
    for cls in (
        *(Request, Fit, Cancel, Prepare),
        *(Ready, Warm, Started, PointMessage, Note, Done, Fitted, Cancelled, Failed, Refused),
    )
}


def encode(message: Message) -> bytes:
    """Return the message as one line of strict JSON; nan and infinities become null."""
    data: dict[str, Any] = {MARKER: VERSION, "kind": message.kind}
    for entry in fields(message):
        found = getattr(message, entry.name)
        data[entry.name] = found.as_json() if isinstance(found, Point) else _strict(found)
    return json.dumps(data, allow_nan=False, separators=(",", ":"), default=str).encode() + b"\n"


def _strict(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _strict(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(entry) for entry in value]
    return value


def decode(line: bytes) -> Message | None:
    """Return the message a line holds, or None where it is noise.

    Noise is what is no JSON object, bears no marker, is of an unknown kind or has a field of the wrong type.
    """
    try:
        data = json.loads(line, parse_constant=lambda token: None)
        if not isinstance(data, dict) or MARKER not in data:
            return None
        return _build(_KINDS[data["kind"]], data)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _build(cls: type[Message], data: dict[str, Any]) -> Message:
    given: dict[str, Any] = {}
    for entry in fields(cls):
        if entry.name not in data:
            continue
        found = data[entry.name]
        if entry.name == "point":
            found = Point.from_json(found)
        else:
            _check(entry.name, found, entry.type)
        given[entry.name] = found
    return cls(**given)


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list": (list,),
    "dict": (dict,),
    "Mapping": (dict,),
}


def _check(name: str, found: Any, declared: Any) -> None:
    words = str(declared)
    if found is None and "None" in words:
        return
    if not isinstance(found, _TYPES[words.split("[")[0].split(" ")[0]]):
        raise TypeError(f"{name} is not {words}")


class Lines:
    """Cuts a stream of bytes into lines, with a cap; what is too long is dropped and counted."""

    def __init__(self, limit: int = LINE_LIMIT_BYTES) -> None:
        self.limit = limit
        self.dropped = 0
        """Lines longer than the limit so far."""
        self._rest = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines completed by a chunk, without their line ends."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            line = self._take(piece)
            self._skipping = False
            if line is not None:
                yield line
        self._keep(rest)

    def _take(self, piece: bytes) -> bytes | None:
        self._keep(piece)
        line = None if self._skipping else bytes(self._rest)
        self._rest.clear()
        return line

    def _keep(self, piece: bytes) -> None:
        if self._skipping:
            return
        self._rest += piece
        if len(self._rest) > self.limit:
            self.dropped += 1
            self._skipping = True
            self._rest.clear()
