"""Experiments on another machine: the worker carried there over a real ssh connection on loopback."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from studyapp.experiments.carrier import BOOT, NOISE_LINES, CannotReachError, command, explained, hand_over, parcel
from studyapp.experiments.protocol import Done, Failed, Message, Ready, Request, Started
from studyapp.experiments.runner import Runner
from tests.sshd import client_config, free_port, server

__all__ = ["server"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def ssh(server: tuple[Path, int], tmp_path: Path) -> tuple[str, ...]:
    """The words that reach `box`; its home, with the cache, is a folder of this test."""
    config = client_config(server, tmp_path / "ssh_config")
    return ("ssh", "-F", str(config))


def python_with_cache(tmp_path: Path) -> tuple[str, ...]:
    return ("env", f"XDG_CACHE_HOME={tmp_path / 'cache'}", sys.executable)


async def conduct(words: tuple[str, ...], experiment: str = "kept") -> tuple[Ready | None, list[Message]]:
    async with Runner(words) as runner:
        request = Request(run="1", experiment=experiment, controls={"batch": 1, "side": 64})
        messages = [message async for message in runner.run(request)]
        return runner.ready, messages


@pytest.mark.torch
def test_a_worker_travels_to_a_host_once_and_measures_there(ssh: tuple[str, ...], tmp_path: Path) -> None:
    words = command("box", ssh, python_with_cache(tmp_path))

    ready, messages = asyncio.run(conduct(words))

    assert ready is not None
    assert isinstance(messages[-1], Done), messages[-1]
    kept = list((tmp_path / "cache" / "studyapp").iterdir())
    assert [entry.suffix for entry in kept] == [".pyz"]
    assert kept[0].read_bytes() == parcel(ROOT)
    first_ns = kept[0].stat().st_mtime_ns

    asyncio.run(conduct(words))

    assert kept[0].stat().st_mtime_ns == first_ns


@pytest.mark.torch
def test_a_zip_cut_short_in_the_cache_is_brought_anew(ssh: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "studyapp"
    words = command("box", ssh, python_with_cache(tmp_path))

    async def greeting() -> object:
        async with Runner(words) as runner:
            return await runner.start()

    assert isinstance(asyncio.run(greeting()), Ready)
    (kept,) = folder.iterdir()
    kept.write_bytes(kept.read_bytes()[:1000])

    assert isinstance(asyncio.run(greeting()), Ready)
    assert kept.read_bytes() == parcel(ROOT)


@pytest.mark.torch
def test_nothing_runs_on_the_host_once_the_program_is_gone(ssh: tuple[str, ...], tmp_path: Path) -> None:
    words = command("box", ssh, python_with_cache(tmp_path))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as near:
        assert near.stdout is not None
        near.stdout.readline()  # the greeting: it runs
        found = workers(tmp_path)
        near.kill()

    assert found
    deadline = time.monotonic() + 20
    while workers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert workers(tmp_path) == []


@pytest.mark.torch
def test_a_line_that_breaks_in_the_middle_of_a_run_is_said_and_the_next_run_connects_anew(
    ssh: tuple[str, ...], tmp_path: Path
) -> None:
    async def twice() -> list[Message]:
        async with Runner(command("box", ssh, python_with_cache(tmp_path))) as runner:
            found = []
            async for message in runner.run(Request(run="1", experiment="recompute")):
                if isinstance(message, Started):
                    cut_the_line(tmp_path)
                found.append(message)
            again = Request(run="2", experiment="kept", controls={"batch": 1, "side": 64})
            return [found[-1], *[message async for message in runner.run(again)][-1:]]

    failed, done = asyncio.run(twice())

    assert isinstance(failed, Failed), failed
    assert failed.why.startswith("The line to box broke")
    assert "What was measured before is kept" in failed.hint
    assert isinstance(done, Done), done


def cut_the_line(tmp_path: Path) -> None:
    """End the sshd that serves this test's worker, as a reboot of the host would."""
    for worker in workers(tmp_path):
        status = Path(f"/proc/{worker}/status").read_text()
        parent = int(status.partition("PPid:")[2].split()[0])
        if Path(f"/proc/{parent}/comm").read_text().startswith("sshd"):
            os.kill(parent, signal.SIGKILL)


def workers(tmp_path: Path) -> list[int]:
    """Return the processes that carry this test's cache in their environment and are the worker itself."""
    mark, found = f"PYTHONPATH={tmp_path / 'cache'}".encode(), []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("host", "python", "why", "hint"),
    [
        ("-oProxyCommand=touch", "python3", "'-oProxyCommand=touch' is no host.", "Write it like box"),
        ("box; reboot", "python3", "is no host.", "Write it like box"),
        ("nobody@box", "python3", "lets nobody in without asking", "ssh-copy-id nobody@box"),
        ("box", "/nowhere/python", "There is no such Python on box", "worker_python"),
        ("box", "/bin/false", "box broke off", "as it was"),
    ],
)
def test_a_host_that_cannot_serve_is_a_sentence_with_what_to_do(
    ssh: tuple[str, ...], host: str, python: str, why: str, hint: str
) -> None:
    _, messages = asyncio.run(conduct(command(host, ssh, (python,))))

    (failed,) = messages
    assert isinstance(failed, Failed)
    assert failed.failure == "host"
    assert why in failed.why
    assert hint in failed.hint


def test_a_dead_host_and_an_unknown_one_are_told_apart(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(f"Host dead\n HostName 127.0.0.1\n Port {free_port()}\n")

    async def why(host: str) -> str:
        _, messages = await conduct(command(host, ("ssh", "-F", str(config)), ("python3",)))
        assert isinstance(messages[-1], Failed)
        return messages[-1].why

    assert "Connection refused" in asyncio.run(why("dead"))
    assert "Could not resolve hostname" in asyncio.run(why("box.invalid"))


def test_a_stale_agent_is_named_rather_than_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "gone"))

    error = explained("box", 255, "me@box: Permission denied (publickey).")

    assert "the ssh agent at" in str(error)
    assert "stale" in str(error)


def test_a_login_scripts_words_are_passed_over_and_endless_ones_are_not() -> None:
    words = b"Welcome!\nYou have mail.\n" * 20
    given = io.BytesIO()

    hand_over(given, io.BytesIO(words + b"studyapp-worker need\nstudyapp-worker have\n"), b"zip")

    assert given.getvalue() == b"zip"
    with pytest.raises(CannotReachError, match="login script"):
        hand_over(given, io.BytesIO(b"noise\n" * NOISE_LINES), b"zip")
    with pytest.raises(CannotReachError, match=r"Python 3\.6 there is too old"):
        hand_over(given, io.BytesIO(b"studyapp-worker old 3.6\n"), b"zip")
    with pytest.raises(CannotReachError, match="did not arrive whole"):
        hand_over(given, io.BytesIO(b"studyapp-worker broken\n"), b"zip")


def test_the_parcel_is_the_worker_alone_and_always_the_same() -> None:
    with zipfile.ZipFile(io.BytesIO(parcel(ROOT))) as archive:
        names = archive.namelist()

    assert parcel(ROOT) == parcel(ROOT)
    assert "studyapp/experiments/worker/__main__.py" in names
    assert "studyapp/experiments/claims/tables/wine.csv" in names
    assert {name.split("/")[1] for name in names} == {"__init__.py", "core", "experiments"}


def test_the_far_side_is_written_for_any_python_3_and_its_folder_for_its_owner_alone(tmp_path: Path) -> None:
    package = parcel(ROOT)
    import hashlib

    digest = hashlib.sha256(package).hexdigest()
    boot = BOOT.replace("os.execv", "print")  # all but becoming the worker
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    argv = [sys.executable, "-c", boot, "studyapp-worker", digest, str(len(package))]

    done = subprocess.run(argv, input=package + b"rest", env=environ, capture_output=True, timeout=60)

    assert done.stdout.startswith(b"studyapp-worker need\nstudyapp-worker have\n")
    assert (tmp_path / "studyapp").stat().st_mode & 0o777 == 0o700
    assert 'f"' not in BOOT  # no f-strings: Python 3.5 must be able to say that it is too old
