"""Conversations on a terminal that only writes line after line: a pty with TERM=dumb, its keys, its ends."""

from __future__ import annotations

import os
import shlex
import sys
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
