from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studyapp.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
NOW = "2026-03-01T09:30+00:00"
LESSON = """---
id: demo
title: A demo lesson
summary: Two sections.
---

# A demo lesson

## One <!-- id: one -->

Text of the first section.

> **Say it first:** What does backward need? <!-- id: needs -->
>
> The outputs that forward kept.
>
> **Check:**
>
> - outputs
> - kept by forward
>
> **Try:** [count them](experiment:kept?batch=8)

> **Say it first:** What is a warp? <!-- id: warp -->
>
> Thirty-two lanes in step.

## Two <!-- id: two -->

Text of the second section.

> **Say it first:** What is latency? <!-- id: latency -->
>
> The time of one answer.
"""


@dataclass
class Result:
    """What one call of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The data of the envelope."""
        envelope = json.loads(self.out, parse_constant=refuse)
        assert envelope["ok"] is True, envelope
        return envelope["data"]

    @property
    def error(self) -> dict[str, str]:
        """The error of the envelope."""
        envelope = json.loads(self.out, parse_constant=refuse)
        assert envelope["ok"] is False, envelope
        found: dict[str, str] = envelope["error"]
        return found


def refuse(token: str) -> Any:
    raise AssertionError(f"{token} is no strict JSON")


Studyapp = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without settings, in a UTF-8 locale, in UTC."""
    for name in [name for name in os.environ if name.startswith(("STUDYAPP_", "LC_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path


@pytest.fixture
def lesson(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small lesson of three cards, beside the shipped ones."""
    path = home / "demo.md"
    path.write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv("STUDYAPP_LESSONS", str(path))
    return path


@pytest.fixture
def studyapp(home: Path, capsys: pytest.CaptureFixture[str]) -> Studyapp:
    """Call the program in this process, with a data folder of its own and the clock frozen at `now`."""

    def call(*words: str, now: str | None = NOW, where: Path = home / "data") -> Result:
        capsys.readouterr()
        frozen = [] if now is None else ["--now", now]
        code = run(["--data-dir", str(where), *frozen, *words])
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def process(home: Path) -> Callable[..., Result]:
    """Call the program as a process of its own; pipes stand for the terminal."""

    def call(*words: str, given: str | None = None, environ: dict[str, str] | None = None) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "studyapp", "--data-dir", str(home / "data"), *words],
            cwd=ROOT,
            env={**os.environ, **(environ or {})},
            input=given.encode() if given is not None else None,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Result(
            done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        )

    return call
