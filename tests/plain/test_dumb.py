"""Conversations on a terminal that only writes line after line: a pty with TERM=dumb, its keys, its ends."""

from __future__ import annotations

import os
import shlex
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

from studyapp.settings import load
from studyapp.study.opening import open_desk_from
from tests.cli.conftest import NOW, ROOT, Studyapp
from tests.plain.conftest import FAKE
from tests.plain.test_listening import trial_as_recorded

END = "\x04"
INTERRUPT = "\x03"
LEFT = {"q": 0, END: 0, INTERRUPT: 130}


def begin(home: Path, *words: str) -> pexpect.spawn[str]:
    environ = {"TERM": "dumb", "STUDYAPP_WORKER_COMMAND": shlex.join([sys.executable, str(FAKE)])}
    return pexpect.spawn(
        sys.executable,
        ["-m", "studyapp", "--data-dir", str(home / "data"), "--now", NOW, *words],
        cwd=str(ROOT),
        env={**os.environ, **environ},
        encoding="utf-8",
        timeout=30,
    )


def leave(child: pexpect.spawn[str], key: str) -> str:
    """Leave by a key, see how that ended, and return all that was said since the last question."""
    child.send(key if key in (END, INTERRUPT) else key + "\n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == LEFT[key]
    return str(child.before)


def plain(said: str) -> bool:
    return "\x1b" not in said and "Traceback" not in said


@pytest.fixture
def challenge(home: Path, studyapp: Studyapp) -> Path:
    path = home / "challenge.json"
    with open_desk_from(load({"data_dir": str(home / "ada"), "now": NOW})) as desk:
        trial_as_recorded(desk, "kept-calm", 64)
    assert studyapp("challenge", "export", str(path), "--from", "Ada", where=home / "ada").code == 0
    return path


@pytest.mark.parametrize("key", LEFT)
def test_a_challenge_is_held_as_a_conversation(home: Path, challenge: Path, key: str) -> None:
    child = begin(home, "challenge", "open", str(challenge))
    child.expect_exact("Your number in bytes?")
    child.sendline("a lot")
    child.expect_exact("Type a plain number such as 12 or 0.5, or 3 GB.")
    said = str(child.before) + leave(child, key)

    assert "Nothing was predicted" in said or "Nothing to compare" in said
    assert plain(said)


def test_a_number_told_to_a_challenge_is_announced_and_kept(home: Path, challenge: Path) -> None:
    child = begin(home, "challenge", "open", str(challenge))
    child.expect_exact("Your number in bytes?")
    child.sendline("5 GB")
    child.expect_exact("How sure?")
    child.sendline("")
    child.expect_exact("Your number is stored.")
    child.expect(pexpect.EOF)
    child.close()
    assert "You said 5 GB. Ada said 3 GB. Measured there: 5.5 GB." in str(child.before)

    again = begin(home, "challenge", "open", str(challenge))
    again.expect(pexpect.EOF)
    assert "Your number in bytes?" not in str(again.before)


@pytest.mark.usefixtures("lesson")
@pytest.mark.parametrize("key", LEFT)
@pytest.mark.parametrize(
    ("words", "question"),
    [("read demo", "q quits."), ("review demo", "q quits."), ("browse", "q quits.")],
)
def test_each_conversation_ends_in_order(
    home: Path, monkeypatch: pytest.MonkeyPatch, words: str, question: str, key: str
) -> None:
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")
    child = begin(home, *words.split())
    child.expect_exact(question)
    said = str(child.before)
    child.sendline("nonsense" if words != "browse" else "is:nonsense")
    child.expect_exact(question)
    said += str(child.before) + leave(child, key)

    assert plain(said)
    assert any(told in said for told in ("Press enter", "Type ", "has no", "There is no", "Known:")), said


@pytest.mark.usefixtures("lesson")
def test_c05_time_for_which_the_program_was_stopped_is_no_thinking(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")
    monkeypatch.setenv("PS1", "ready> ")
    child = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "-i"],
        cwd=str(ROOT),
        env={**os.environ, "TERM": "dumb"},
        encoding="utf-8",
    )
    child.expect_exact("ready> ")
    began = time.monotonic()
    child.sendline(f"{sys.executable} -m studyapp --data-dir {home}/data review demo")
    child.expect_exact("q quits. ")
    child.send("\x1a")
    child.expect_exact("Stopped")
    stopped = time.monotonic()
    time.sleep(2)
    away_s = time.monotonic() - stopped
    child.sendline("fg")
    child.sendline("")
    child.expect_exact("h helps, q quits. ")
    child.sendline("4")
    child.expect_exact("Stored: easy.")
    here_s = time.monotonic() - began - away_s
    child.expect_exact("q quits. ")
    child.sendline("q")
    child.expect_exact("1 answer stored.")
    child.close(force=True)

    with closing(sqlite3.connect(home / "data" / "study.db")) as raw:
        (spent_ms,) = raw.execute("SELECT duration_ms FROM reviews WHERE rating > 0").fetchone()
    assert spent_ms <= here_s * 1000
