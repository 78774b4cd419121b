"""Lines between the script's process, its supervisor and the program: one marked JSON object each."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any

from studyapp.experiments.protocol import LINE_LIMIT_BYTES, MARKER, VERSION, Lines

CHUNK_BYTES = 65536


class GoneError(Exception):
    """The other end of the wire has closed."""


def encode(kind: str, fields: Mapping[str, Any]) -> bytes:
    """Return one message as a line; numbers that are not finite are null."""
    line = json.dumps({MARKER: VERSION, "kind": kind, **_strict(fields)}, allow_nan=False, default=str)
    return line.encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any] | None:
    """Return a message, or None for anything else that may stand on a line."""
    if len(line) > LINE_LIMIT_BYTES:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    right = isinstance(found, dict) and found.get(MARKER) == VERSION and isinstance(found.get("kind"), str)
    return found if right else None


def write(descriptor: int, data: bytes) -> None:
    """Write all of it.

    Raises:
        GoneError: If nobody reads any more, or somebody closed the descriptor.
    """
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        raise GoneError from error


class Ear:
    """Reads messages from a descriptor, as they come or one by one."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._lines = Lines()
        self._waiting: list[dict[str, Any]] = []

    def feed(self) -> Iterator[dict[str, Any]]:
        """Read once and yield what is complete.

        Raises:
            GoneError: At the end of the wire.
        """
        try:
            chunk = os.read(self.descriptor, CHUNK_BYTES)
        except OSError as error:
            raise GoneError from error
        if not chunk:
            raise GoneError
        for line in self._lines.feed(chunk):
            message = decode(line)
            if message is not None:
                yield message

    def one(self) -> dict[str, Any]:
        """Wait for the next message.

        Raises:
            GoneError: At the end of the wire.
        """
        while not self._waiting:
            self._waiting.extend(self.feed())
        return self._waiting.pop(0)


def _strict(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    return value
