from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence

import pytest

from tests.cli.conftest import ROOT, Result, Studyapp, home, lesson, studyapp  # noqa: F401  fixtures

Said = str | Callable[[], object]
"""A line, or something that happens before the next line is read."""
Speak = Callable[..., Result]
FAKE = ROOT / "tests" / "experiments" / "fake_worker.py"


class Learner:
    """Says one line after another; no terminal."""

    def __init__(self, lines: Sequence[Said]) -> None:
        self._lines = list(lines)

    def isatty(self) -> bool:
        return False

    def readline(self) -> str:
        while self._lines:
            line = self._lines.pop(0)
            if isinstance(line, str):
                return line + "\n"
            line()
        return ""


@pytest.fixture
def speak(studyapp: Studyapp, lesson: object, monkeypatch: pytest.MonkeyPatch) -> Speak:  # noqa: F811
    """Hold a conversation: the learner's lines, then the words of the command; its cards are the demo lesson's."""
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE)]))

    def call(lines: list[Said], *words: str, now: str = "2026-03-01T09:30+00:00") -> Result:
        monkeypatch.setattr(sys, "stdin", Learner(lines))
        return studyapp(*words, "--plain", now=now)

    return call
