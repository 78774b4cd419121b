"""A line on standard error that is written over again and again, and goes away: how far something is."""

from __future__ import annotations

import sys

from studyapp.cli.call import dumb


class MovingLine:
    """Silent where standard error is no terminal, or one that can only write line after line."""

    def __init__(self, *, moving: bool = True) -> None:
        """Show nothing yet.

        Args:
            moving: False keeps it silent everywhere.
        """
        self.on = moving and sys.stderr.isatty() and not dumb()

    def show(self, words: str) -> None:
        """Write over what stands there; the words come cleaned."""
        self._write(f"{words} ...")

    def clear(self) -> None:
        """Take the line away."""
        self._write("")

    def _write(self, words: str) -> None:
        if self.on:
            sys.stderr.write(f"\r\x1b[K{words}")
            sys.stderr.flush()
