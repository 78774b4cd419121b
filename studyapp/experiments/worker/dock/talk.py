"""How the script's process, its supervisor and the program hear each other: marked lines on descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from studyapp.experiments.wire import Lines, unmarked

CHUNK_BYTES = 65536


class GoneError(Exception):
    """The other end of the wire has closed."""


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
            message = unmarked(line)
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
