"""Another machine over ssh: one connection, JSON lines both ways, `studyapp exchange` on its far end.

The near side says what it has; the far side sends what is lacking here, then takes what is lacking there. Nothing
is asked on the terminal (BatchMode), so a machine that cannot be reached costs a sentence.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any

from studyapp.core.errors import StoreError, UsageError
from studyapp.experiments.carrier import HOST, ssh_trouble
from studyapp.store.exporting import have, lacking
from studyapp.store.lines import Reader
from studyapp.store.merging import Merged, merge_staged
from studyapp.store.revision import SHIPPED
from studyapp.store.staging import staged_lines
from studyapp.study.rebuilding import policies

if TYPE_CHECKING:
    from studyapp.store.merging import Progress
    from studyapp.study.desk import Desk

CONNECT_S = 10
"""Longest wait for a machine to answer; `sync` waits less."""
_NOISE = 200
"""Lines that a far login script may print before the program speaks."""


class FarError(StoreError):
    """The other machine cannot be reached or did not play its part; nothing was changed here."""

    kind = "far"
    exit_code = 1


@dataclass(frozen=True)
class Far:
    """A machine and how to speak with it."""

    host: str
    """As ssh takes it: box, user@box, or an alias of ~/.ssh/config."""
    ssh: Sequence[str] = ("ssh",)
    """The ssh program with options of the learner's own."""
    program: Sequence[str] = ("studyapp",)
    """How studyapp is called there."""

    def command(self, wait_s: float) -> list[str]:
        """Return the words that open the connection.

        Raises:
            UsageError: If the host is none; a leading dash would be an option.
        """
        if not HOST.fullmatch(self.host):
            raise UsageError(f"{self.host!r} is no host.", "Write it like box or user@box.")
        options = ["-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={max(1, int(wait_s))}"]
        return [*self.ssh, *options, "--", self.host, shlex.join([*self.program, "exchange"])]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What went over in the two directions."""

    here: Merged
    there: Merged


def exchange(
    desk: Desk,
    far: Far,
    *,
    pull: bool = True,
    push: bool = True,
    limit_s: float | None = None,
    first: Callable[[], object] = lambda: None,
    progress: Progress = lambda what, done, total: None,
) -> Exchanged:
    """Bring this record and that of another machine level, both ways over one connection.

    Args:
        desk: The open desk.
        far: The other machine.
        pull: Take what is lacking here.
        push: Give what is lacking there.
        limit_s: Give up after so many seconds, without having changed anything here; None waits.
        first: Called before the first change here.
        progress: Hears how far it is.

    Raises:
        FarError: If the machine cannot be reached, has no studyapp or another one, or takes too long.
        StoreError: If this store cannot be written.
    """
    command = far.command(min(CONNECT_S, limit_s or CONNECT_S))
    with tempfile.TemporaryFile() as words, _connected(command, words, far, limit_s) as ends:
        given, taken = ends
        try:
            _say(given, {"have": have(desk.store), "pull": pull, "push": push})
            told = _greeting(taken)
            reader = Reader(SHIPPED.known)
            with staged_lines(desk.store, _until_end(taken), reader) as draft:
                here = Merged()
                if pull:
                    here = merge_staged(desk.store, draft, policies(desk), first=first, progress=progress)
            there = Merged()
            if push:
                _send(given, lacking(desk.store, told["have"]))
                there = _merged_there(_next(taken))
        except (BrokenPipeError, _SilentError, ValueError, KeyError, TypeError) as error:
            raise _Broken from error
    return Exchanged(here, there)


class _SilentError(Exception):
    """The other end said nothing more."""


class _Broken(Exception):  # noqa: N818 - never leaves this file
    """The conversation broke off; what ssh said tells why."""


@contextlib.contextmanager
def _connected(
    command: list[str], words: IO[bytes], far: Far, limit_s: float | None
) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Yield the ends to write to and read from; whatever ends the conversation early is told in words."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, start_new_session=True
        )
    except OSError as error:
        raise FarError(f"{command[0]} cannot be started: {error.strerror}.", "Install an ssh client.") from error
    late = threading.Event()

    def give_up() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(limit_s or 0, give_up)
    timer.daemon = True
    if limit_s is not None:
        timer.start()
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdin, process.stdout
    except _Broken as broken:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        code = process.wait()
        if late.is_set():
            raise FarError(
                f"{far.host} took longer than {limit_s:g} s.", "It is tried again next time."
            ) from broken
        words.seek(0)
        raise _explained(far, code, words.read().decode("utf-8", "replace")) from broken
    finally:
        timer.cancel()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        if process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=2)
            process.kill()
        process.wait()


def _explained(far: Far, code: int, said: str) -> FarError:
    """Return the sentence for a connection that failed."""
    if (trouble := ssh_trouble(far.host, code, said)) is not None:
        return FarError(str(trouble), trouble.hint)
    last = [line.strip() for line in said.splitlines() if line.strip()]
    words = last[-1] if last else f"ssh ended with {code}"
    if code in (126, 127):
        return FarError(
            f"There is no studyapp on {far.host}: {words.rstrip('.')}.",
            "Install it there, or say where it is with the setting far_command.",
        )
    return FarError(
        f"{far.host} broke off: {' '.join(last[-2:]) or words}", "Whatever was not merged comes next time."
    )


def _say(given: IO[bytes], data: Any) -> None:
    given.write(json.dumps(data).encode() + b"\n")
    given.flush()


def _send(given: IO[bytes], lines: Iterator[str]) -> None:
    for line in lines:
        given.write(line.encode() + b"\n")
    _say(given, {"end": True})


def _next(taken: IO[bytes]) -> dict[str, Any]:
    line = taken.readline()
    if not line.endswith(b"\n"):
        raise _SilentError
    data = json.loads(line)
    if not isinstance(data, dict):
        raise ValueError("not what was agreed")
    return data


def _greeting(taken: IO[bytes]) -> dict[str, Any]:
    """Return the far side's first words, past what its login scripts print."""
    for _ in range(_NOISE):
        line = taken.readline()
        if not line:
            raise _SilentError
        with contextlib.suppress(ValueError):
            data = json.loads(line)
            if isinstance(data, dict) and "have" in data:
                return data
    raise _SilentError


def _until_end(taken: IO[bytes]) -> Iterator[str]:
    """Yield lines until the one that says that all were sent; a cut line never passes for the whole."""
    while True:
        line = taken.readline()
        if not line.endswith(b"\n"):
            raise _SilentError
        if line == b'{"end": true}\n':
            return
        yield line.decode("utf-8", "replace")


def _merged_there(told: dict[str, Any]) -> Merged:
    told = told["merged"]
    return Merged(
        reviews=int(told["reviews"]),
        cards=int(told["cards"]),
        runs=int(told["runs"]),
        predictions=int(told["predictions"]),
        readings=int(told["readings"]),
        moved=int(told["moved"]),
        twice=int(told["twice"]),
        notes=int(told.get("notes", 0)),  # a studyapp from before there were any says nothing
        challenges=int(told.get("challenges", 0)),
    )


def serve(desk: Desk, given: IO[bytes], taken: IO[bytes], *, first: Callable[[], object]) -> None:
    """Play the far side of `exchange`, over the two ends of a connection.

    Args:
        desk: The open desk.
        given: Where to write.
        taken: Where to read.
        first: Called before the first change.

    Raises:
        UsageError: If what comes is not what `exchange` says.
        StoreError: If the store cannot be written; nothing was stored.
    """
    try:
        asked = _next(taken)
        _say(given, {"have": have(desk.store)})
        _send(given, lacking(desk.store, asked["have"]) if asked["pull"] else iter(()))
        if not asked["push"]:
            return
        reader = Reader(SHIPPED.known)
        with staged_lines(desk.store, _until_end(taken), reader) as draft:
            merged = asdict(merge_staged(desk.store, draft, policies(desk), first=first))
    except (_SilentError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            "This command is for `studyapp merge` on another machine.", "Nothing was changed here."
        ) from error
    _say(given, {"merged": {name: count for name, count in merged.items() if isinstance(count, int)}})
