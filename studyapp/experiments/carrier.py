"""The worker on another machine: a small program that brings it there over ssh and then only passes lines on.

`python -I carrier.py HOST --ssh WORDS --python WORDS`. Nothing need be installed on the other machine but a Python
with torch: this package's worker travels as one zip file, once, and is kept in the cache there under its digest.
Whatever goes wrong is said as the protocol's own `failed` message. Standard library only and nothing of this
package, so that it starts in 20 ms.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

CARRIED = ("core", "experiments")
"""The parts of the package that the worker imports; standard library and torch only."""
CONNECT_S = 10
ALIVE_S = 5
"""After three unanswered questions of this interval ssh gives a dead line up."""
NOISE_LINES = 200
"""Lines that a far login script may print before the worker's side speaks."""
WORD = "studyapp-worker"
SSH_FAILED = 255
"""The exit code ssh keeps for itself: the line, not what ran on it."""
HOST = re.compile(r"(?:[A-Za-z0-9_][\w.+-]*@)?[A-Za-z0-9_\[][\w.:%\]-]*")
"""As ssh takes it: box, user@box, an alias; a leading dash would be an option."""
OLDEST = (3, 10)

BOOT = """
import hashlib, os, sys
word, digest, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
def say(text):
    os.write(1, (word + " " + text + "\\n").encode())
if sys.version_info < (3, 10):
    say("old %d.%d" % sys.version_info[:2])
    sys.exit(0)
def folders():
    yield os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "studyapp")
    import tempfile
    yield tempfile.mkdtemp(prefix="studyapp-")
def whole(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest() == digest
    except OSError:
        return False
def usable(folder):
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.stat(folder)
        return found.st_uid == os.getuid() and os.access(folder, os.W_OK)
    except OSError:
        return False
folder = next(filter(usable, folders()))
path = os.path.join(folder, "worker-" + digest[:16] + ".pyz")
if whole(path):
    say("have")
else:
    say("need")
    data = b""
    while len(data) < size:
        part = os.read(0, min(65536, size - len(data)))
        if not part:
            sys.exit(1)
        data += part
    draft = path + "." + str(os.getpid())
    with open(draft, "wb") as file:
        file.write(data)
    os.replace(draft, path)
    kept = sorted((n for n in os.listdir(folder) if n.startswith("worker-") and n.endswith(".pyz")),
                  key=lambda n: os.stat(os.path.join(folder, n)).st_mtime)
    for name in kept[:-3]:
        os.unlink(os.path.join(folder, name))
    say("have" if whole(path) else "broken")
os.chdir(folder)
old = os.environ.get("PYTHONPATH")
os.environ["PYTHONPATH"] = path + (os.pathsep + old if old else "")
os.execv(sys.executable, [sys.executable, "-m", "studyapp.experiments.worker"])
"""
"""What runs on the far side: takes the zip if it lacks it, then becomes the worker. It reads its input unbuffered,
so that what follows the zip is the worker's. Written for any Python 3, to be able to say that it is too old."""


class CannotReachError(Exception):
    """The other machine did not play its part; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def parcel(home: Path) -> bytes:
    """Return the worker as a zip file; the same files give the same bytes.

    Args:
        home: The folder that holds the package.
    """
    package = home / "studyapp"
    files = [package / "__init__.py"]
    for part in CARRIED:
        files += sorted(p for p in (package / part).rglob("*") if p.suffix in (".py", ".csv"))
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(home).as_posix(), (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return whole.getvalue()


def words(host: str, ssh: Sequence[str], python: Sequence[str], digest: str, size: int) -> list[str]:
    """Return the command that opens the connection; the far shell sees no quote, newline or `!` inside a word.

    Raises:
        CannotReachError: If the host is none.
    """
    if not HOST.fullmatch(host):
        raise CannotReachError(f"{host!r} is no host.", "Write it like box or user@box.")
    packed = base64.b64encode(zlib.compress(BOOT.encode(), 9)).decode()
    boot = f'import base64,zlib;exec(zlib.decompress(base64.b64decode("{packed}")))'
    options = ["-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_S}"]
    options += ["-o", f"ServerAliveInterval={ALIVE_S}"]
    far = shlex.join([*python, "-c", boot, WORD, digest, str(size)])
    return [*ssh, *options, "--", host, f"exec {far}"]


def hand_over(given: IO[bytes], taken: IO[bytes], package: bytes) -> None:
    """Bring the zip over if the other side lacks it.

    Raises:
        CannotReachError: If the other side cannot use it, or says nothing that we know.
    """
    answer = _answer(taken)
    if answer == "need":
        _write(given, package)
        answer = _answer(taken)
    if answer.startswith("old"):
        raise CannotReachError(
            f"Python {answer[4:]} there is too old, the worker needs {'.'.join(map(str, OLDEST))}.",
            "Name a newer one that has torch with the setting worker_python.",
        )
    if answer != "have":
        raise CannotReachError(f"The worker did not arrive whole ({answer[:40] or 'no answer'}).")


def _write(target: IO[bytes], data: bytes) -> None:
    """Write all of it: an unbuffered pipe takes only what there is room for."""
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) or 0 :]


def _answer(taken: IO[bytes]) -> str:
    for _ in range(NOISE_LINES):
        line = taken.readline(4096)
        if not line:
            raise CannotReachError("")
        text = line.decode("utf-8", "replace").strip()
        if text.startswith(WORD + " "):
            return text[len(WORD) + 1 :]
    raise CannotReachError(
        "It only prints a login script's words.", "Let ~/.bashrc say nothing without a terminal."
    )


def ssh_trouble(host: str, code: int | None, said: str) -> CannotReachError | None:
    """Return the sentence for what ssh itself says of a connection, or None where it came about.

    Args:
        host: As it was asked for.
        code: The exit code of ssh, None while it runs.
        said: What it printed.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = (lines[-1] if lines else f"ssh ended with {code}").rstrip(".")
    if "Permission denied" in said or "sign_and_send_pubkey" in said:
        if place := stale_agent():
            return CannotReachError(
                f"{host} cannot be reached: the ssh agent at {place} is gone (SSH_AUTH_SOCK is stale).",
                "Log in again, or point SSH_AUTH_SOCK at the agent that runs; an old tmux keeps the old one.",
            )
        hint = f"Set up a key: ssh-copy-id {host}."
        return CannotReachError(f"{host} lets nobody in without asking: {last}.", hint)
    if "Host key verification failed" in said:
        return CannotReachError(f"{host} is not known to ssh yet.", f"Run `ssh {host}` once and look at its key.")
    if code == 255:
        return CannotReachError(f"{host} cannot be reached: {last}.", "Everything here is as it was.")
    return None


def explained(host: str, code: int | None, said: str) -> CannotReachError:
    """Return the sentence for a connection that failed.

    Args:
        host: As it was asked for.
        code: The exit code of ssh, None while it runs.
        said: What it printed.
    """
    if (trouble := ssh_trouble(host, code, said)) is not None:
        return trouble
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = (lines[-1] if lines else f"ssh ended with {code}").rstrip(".")
    if code in (126, 127):
        return CannotReachError(
            f"There is no such Python on {host}: {last}.",
            "Name one that has torch with the setting worker_python, e.g. /opt/conda/bin/python.",
        )
    return CannotReachError(f"{host} broke off: {last}.", "Everything here is as it was.")


def stale_agent() -> str:
    """Return the agent's socket if it leads nowhere, as a tmux from yesterday keeps it, else ""."""
    place = os.environ.get("SSH_AUTH_SOCK", "")
    if not place or not hasattr(socket, "AF_UNIX"):
        return ""
    with socket.socket(socket.AF_UNIX) as end:
        try:
            end.settimeout(1)
            end.connect(place)
        except OSError:
            return place
    return ""


def _relay(source: int, target: IO[bytes]) -> None:
    """Pass bytes on as they come until the source ends, then end the target."""
    try:
        with contextlib.suppress(OSError):
            while part := os.read(source, 65536):
                _write(target, part)
    finally:
        with contextlib.suppress(OSError):
            target.close()


def carry(host: str, ssh: Sequence[str], python: Sequence[str], home: Path) -> int:
    """Bring the worker to a host and pass on what is said; return the exit code of ssh.

    Raises:
        CannotReachError: If the worker cannot be brought to speak, or the line breaks while it works.
    """
    package = parcel(home)
    command = words(host, ssh, python, hashlib.sha256(package).hexdigest(), len(package))
    try:
        pipe = subprocess.PIPE
        # unbuffered: what was read ahead of the handing over would be lost to the relay
        process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise CannotReachError(f"{command[0]} cannot be started: {error.strerror}.", "Install ssh.") from error
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    listener = threading.Thread(target=_note, args=(process.stderr, said), daemon=True)
    listener.start()
    try:
        hand_over(process.stdin, process.stdout, package)
    except (CannotReachError, BrokenPipeError) as error:
        process.stdin.close()
        code = process.wait()
        listener.join(1)
        if str(error) and not isinstance(error, BrokenPipeError):
            raise
        raise explained(host, code, "\n".join(said)) from error
    threading.Thread(target=_relay, args=(0, process.stdin), daemon=True).start()
    _relay(process.stdout.fileno(), open(1, "wb", buffering=0, closefd=False))  # noqa: SIM115 - ends with us
    if (code := process.wait()) == SSH_FAILED:
        listener.join(1)
        os.write(1, b"\n")  # what was cut in the middle of a line must not swallow the next
        raise broken_off(host, "".join(said))
    return code


def broken_off(host: str, said: str) -> CannotReachError:
    """Return the sentence for a line that broke while the worker was at work.

    Args:
        host: As it was asked for.
        said: What ssh printed.
    """
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "")
    why = f": {last.rstrip('.')}" if last else ""
    return CannotReachError(
        f"The line to {host} broke{why}.", "What was measured before is kept; run it again once the host answers."
    )


def _note(stream: IO[bytes], said: list[str]) -> None:
    """Keep what ssh and the far side print on standard error, and pass it on."""
    for line in stream:
        said.append(line.decode("utf-8", "replace"))
        del said[:-20]
        os.write(2, line)


def main(argv: Sequence[str]) -> int:
    """Run the program: HOST, then the words of ssh and of Python, each as one shell-quoted text."""
    host, ssh, python = argv
    try:
        return carry(host, shlex.split(ssh), shlex.split(python), Path(__file__).resolve().parents[2])
    except CannotReachError as error:
        failed = {"studyapp": 1, "kind": "failed", "failure": "host", "why": str(error), "hint": error.hint}
        print(json.dumps(failed), flush=True)
        return 1


def command(host: str, ssh: Sequence[str], python: Sequence[str]) -> tuple[str, ...]:
    """Return the command that stands for the worker's own where it runs on another machine."""
    return (sys.executable, "-I", str(Path(__file__).resolve()), host, shlex.join(ssh), shlex.join(python))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
