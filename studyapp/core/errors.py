"""Errors a learner can act on: what happened, where, and what to do.

Everything the program expects to go wrong is a `StudyError`; the command line turns `exit_code` into its exit
status and `kind`, `message`, `hint` into the JSON envelope.
"""

from __future__ import annotations


class StudyError(Exception):
    """A problem with a sentence (`message`), an advice (`hint`) and an exit code."""

    kind = "error"
    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(StudyError):
    """A wrong word on the command line: an unknown id, a control out of its range, no terminal."""

    kind = "usage"
    exit_code = 2


class DeckError(StudyError):
    """A lesson or deck that cannot be read; `message` names file and line."""

    kind = "deck"
    exit_code = 1


class StoreError(StudyError):
    """The store is newer, damaged, locked, read-only or out of room. Nothing was written."""

    kind = "store"
    exit_code = 3


class StaleShowingError(StoreError):
    """This showing of the card was answered already, here or in another window; nothing was stored twice."""

    kind = "stale"


class WouldWaitError(StoreError):
    """Another program or another thread is writing, and whoever asked cannot wait; nothing was stored."""

    kind = "busy"


class ExperimentError(StudyError):
    """An experiment crashed, timed out, or has no torch to run on."""

    kind = "experiment"
    exit_code = 4


class ControlError(UsageError):
    """A control with a value it cannot take; the message gives the range in words."""

    kind = "control"
