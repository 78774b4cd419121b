"""Reading keys from a slow line: what has begun as a sequence is waited for, and not taken for letters.

Textual waits 0.1 s for the rest of any sequence. Where a line stalls inside one, its pieces become keys: half a
mouse report or the key "ins" would grade with its digits, and a paste whose end mark was torn would never end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from textual import events
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

from studyapp.tui.arrival import ANSWER

PATIENCE_S = 1.0
"""How long the rest of a sequence may take; an escape alone is still known for one after Textual's 0.1 s."""
BEGUN = ("\x1b[", "\x1bO")
"""How the sequences of keys, mice and pastes begin."""
PASTE_BEGINS, PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_KEPT = 32
"""Characters of what came before that are remembered; no sequence that is waited for is longer."""


class PatientParser(XTermParser):
    """Textual's parser of what a terminal sends, with more time for a sequence that has begun."""

    answered: ClassVar[Callable[[], None]] = staticmethod(lambda: None)
    """Called when the terminal answers that it is well."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._came = ""
        self._pasting = False

    def feed(self, data: str) -> Iterable[Message]:
        """Take what came and yield what it means; then wait longer where it ends inside a sequence."""
        yield from super().feed(data)
        came = self._came + data
        begins, ends = came.rfind(PASTE_BEGINS), came.rfind(PASTE_ENDS)
        if begins != ends:  # one of them is there; else nothing changed
            self._pasting = begins > ends
        self._came = came[-_KEPT:]
        rest = came[came.rfind("\x1b") :]
        # in a paste even an escape alone is, most likely, the beginning of its end
        if self._timeout_time is not None and (rest.startswith(BEGUN) or self._pasting):
            self._timeout_time = get_time() + PATIENCE_S

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence == ANSWER:
            type(self).answered()
            return [events.Key(Keys.Ignore, sequence)]
        return super()._sequence_to_key_events(sequence, alt)


def be_patient(driver: type[Any], answered: Callable[[], None]) -> None:
    """Let a driver read with a `PatientParser`, where it reads with Textual's.

    Args:
        driver: The platform's.
        answered: Called, on the thread that reads, when the terminal answers that it is well.
    """
    import sys

    PatientParser.answered = staticmethod(answered)

    module = sys.modules[driver.__module__]
    if getattr(module, "XTermParser", None) is XTermParser:
        # the driver makes its parser inside the loop that reads: there is no other place to hand one in
        module.XTermParser = PatientParser  # type: ignore[attr-defined]
