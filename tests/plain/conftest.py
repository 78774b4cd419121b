from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable

import pytest

from tests.cli.conftest import ROOT, Result, Studyapp, home, lesson, studyapp  # noqa: F401  fixtures

Speak = Callable[..., Result]
FAKE = ROOT / "tests" / "experiments" / "fake_worker.py"


@pytest.fixture
def speak(studyapp: Studyapp, lesson: object, monkeypatch: pytest.MonkeyPatch) -> Speak:  # noqa: F811
    """Hold a conversation: the learner's lines, then the words of the command; its cards are the demo lesson's."""
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE)]))

    def call(lines: list[str], *words: str, now: str = "2026-03-01T09:30+00:00") -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(line + "\n" for line in lines)))
        return studyapp(*words, "--plain", now=now)

    return call
