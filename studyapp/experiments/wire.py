"""Messages as lines: one strict JSON object each, told from noise by a marker, and cut from a stream of bytes.

Standard library only, Python 3.10+: program, worker and dock import it. Every line carries `"studyapp": VERSION`,
so that a stray print is never taken for a message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from studyapp.core.points import Point
from studyapp.core.strict import strict
from studyapp.experiments.protocol import KINDS, VERSION, Message

MARKER = "studyapp"
"""The key that tells a message from noise; its value is the version."""
LINE_LIMIT_BYTES = 1_000_000
"""A longer line is noise: the longest real message, `done`, stays below 10 kB."""


def marked(kind: str, values: Mapping[str, Any]) -> bytes:
    """Return what is said as one line of strict JSON in ASCII; nan and infinities become null."""
    data = {MARKER: VERSION, "kind": kind, **strict(values)}
    return json.dumps(data, allow_nan=False, separators=(",", ":"), default=str).encode("ascii") + b"\n"


def unmarked(line: bytes) -> dict[str, Any] | None:
    """Return what a line says, its marker and kind included; None where it is noise: no object, or no marker."""
    try:
        data = json.loads(line, parse_constant=lambda token: None)
    except (ValueError, RecursionError):
        return None
    right = isinstance(data, dict) and MARKER in data and isinstance(data.get("kind"), str)
    return data if right else None


def encode(message: Message) -> bytes:
    """Return the message as one line."""
    found = {entry.name: getattr(message, entry.name) for entry in fields(message)}
    return marked(message.kind, {n: v.as_json() if isinstance(v, Point) else v for n, v in found.items()})


def decode(line: bytes) -> Message | None:
    """Return the message a line holds, or None where it is noise.

    So is what is of an unknown kind, or has a field of the wrong type.
    """
    data = unmarked(line)
    if data is None:
        return None
    try:
        return _build(KINDS[data["kind"]], data)
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
