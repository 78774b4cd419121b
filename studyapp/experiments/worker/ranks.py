"""Several processes for one experiment: gloo on this machine by forkserver, torchrun across GPUs and hosts.

An experiment hands over a function of its own file, `work(rank, **given)`, a generator that every process runs;
the points rank 0 yields come back, the others' are dropped. However the worker ends, so do the ranks: children of
the forkserver are in the worker's process group, torchrun gives each rank a session of its own, so a rank asks
Linux to die with its parent and watches a pipe that only the worker holds open.

`python -m studyapp.experiments.worker.ranks MODULE:FUNCTION JSON` is a rank under torchrun; not meant to be typed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import multiprocessing.connection
import multiprocessing.forkserver
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from studyapp.core.points import Point
from studyapp.experiments.protocol import Failed, PointMessage
from studyapp.experiments.wire import Lines, decode, encode
from studyapp.experiments.worker import limits

BACKENDS = {"cuda": "nccl", "xpu": "xccl"}
"""Each accelerator's library for talking between cards; everything else talks over gloo."""
LOOPBACK = "lo"
PRELOAD = ("torch", "torch._dynamo")
"""What the fork server imports once (1 to 2 s); every child then starts in 11 to 13 ms. DistributedDataParallel
and FSDP import the second when first used, in every child anew."""
POLL_S = 0.02
TERM_S = 1.5
"""From SIGTERM to SIGKILL: torchrun hands SIGTERM on to its ranks and goes in a few tenths of a second."""
MEETING_S = 60.0
"""How long ranks wait for one another before they give up."""
PACKAGE_HOME = Path(__file__).resolve().parents[3]
MODULE = "studyapp.experiments.worker.ranks"


class RanksError(RuntimeError):
    """A rank failed; the message is its own, in one line."""


class Rank:
    """What `work` gets: torch, this process's number among all, and its device."""

    def __init__(self, torch: Any, rank: int, world: int, device: Any) -> None:
        self.torch = torch
        self.rank = rank
        self.world = world
        self.device = device

    def sync(self) -> None:
        """Wait until the device has finished everything queued."""
        if self.device.type != "cpu":
            self.torch.accelerator.synchronize(self.device)


Work = Callable[..., Iterator[Point]]
Over = Callable[[], bool]
"""Whether to stop; raises where the run was cancelled."""


def name_of(work: Work) -> str:
    """Return the name another process finds the function by, `module:function`."""
    return f"{work.__module__}:{work.__qualname__}"


def _find(name: str) -> Work:
    module, _, attribute = name.partition(":")
    found: Work = getattr(importlib.import_module(module), attribute)
    return found


def _die_with_worker(watched: Callable[[], object]) -> None:
    """Die with the parent, and as soon as `watched` returns: the pipe it reads has closed."""
    limits.die_with_parent()

    def watch() -> None:
        with contextlib.suppress(OSError, EOFError):
            watched()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# -- on this machine --------------------------------------------------------------------------------------------


def warm() -> Any:
    """Start the fork server, which imports what ranks need in its own time; return its context."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOAD))
    multiprocessing.forkserver.ensure_running()
    return context


def forked(work: Work, count: int, given: Mapping[str, Any], over: Over) -> Iterator[Point]:
    """Run `work` in so many processes on the CPU, joined by gloo; yield rank 0's points.

    Raises:
        RanksError: If a rank failed.
    """
    context = warm()
    held, watched = context.Pipe()
    with tempfile.TemporaryDirectory(prefix="studyapp-") as folder:
        pairs = [context.Pipe(duplex=False) for _ in range(count)]
        children = [
            context.Process(
                target=_forked_rank,
                args=(name_of(work), dict(given), rank, count, f"{folder}/meet", pairs[rank][1], watched),
                daemon=True,
            )
            for rank in range(count)
        ]
        try:
            for child in children:
                child.start()
            for _, far in pairs:
                far.close()
            yield from _heard([near for near, _ in pairs], over)
        finally:
            held.close()
            for child in children:
                if child.pid is not None:
                    child.kill()
                    child.join()
            for near, _ in pairs:
                near.close()
            watched.close()


def _heard(pipes: list[Any], over: Over) -> Iterator[Point]:
    waiting = list(pipes)
    while waiting:
        if over():
            return
        ready: list[Any] = multiprocessing.connection.wait(waiting, POLL_S)
        for pipe in ready:
            try:
                told = pipe.recv()
            except EOFError:
                raise RanksError("a rank ended without a word") from None
            if isinstance(told, str):
                raise RanksError(told)
            if told is None:
                waiting.remove(pipe)
            else:
                yield Point.from_json(told)


def _forked_rank(
    name: str, given: Mapping[str, Any], rank: int, world: int, meeting: str, out: Any, watched: Any
) -> None:
    _die_with_worker(watched.recv_bytes)
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK)  # host names often resolve to nothing in containers
    code = 1
    try:
        dist = torch.distributed
        store = dist.FileStore(meeting, world)
        limit = timedelta(seconds=MEETING_S)
        dist.init_process_group("gloo", store=store, rank=rank, world_size=world, timeout=limit)
        for point in _find(name)(Rank(torch, rank, world, torch.device("cpu")), **given):
            if rank == 0:
                out.send(point.as_json())
        dist.barrier()  # nobody leaves while another still talks
        out.send(None)
        code = 0
    except BaseException as error:
        with contextlib.suppress(OSError):
            out.send(_words(rank, error))
    finally:
        out.close()
        os._exit(code)  # skips torch's teardown, 0.7 to 0.9 s


def _words(rank: int, error: BaseException) -> str:
    line = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"rank {rank}: {type(error).__name__}: {line}"[:300]


# -- across GPUs and hosts ----------------------------------------------------------------------------------------


def command(name: str, given: Mapping[str, Any], kind: str, nproc: int, nnodes: int) -> list[str]:
    """Return the torchrun command line; across hosts, its PET_* variables say where they meet."""
    where = ["--standalone"] if nnodes == 1 else ["--nnodes", str(nnodes)]
    return [
        *(sys.executable, "-m", "torch.distributed.run", *where, "--nproc-per-node", str(nproc)),
        *("--max-restarts", "0", "-m", MODULE, name, kind, json.dumps(dict(given))),
    ]


def torchrun(argv: list[str], over: Over) -> Iterator[Point]:
    """Run `argv` (see `command`); yield the points rank 0 writes.

    Raises:
        RanksError: If a rank, or torchrun itself, failed.
    """
    path = os.pathsep.join(filter(None, (str(PACKAGE_HOME), os.environ.get("PYTHONPATH", ""))))
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)
    try:
        yield from _relayed(process, over)
    finally:
        end(process)


def _relayed(process: subprocess.Popen[bytes], over: Over) -> Iterator[Point]:
    assert process.stdout is not None
    lines, failed = Lines(), ""
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while not over():
            if not ready.select(POLL_S):
                continue
            chunk = os.read(process.stdout.fileno(), 65_536)
            if not chunk:
                break
            for message in map(decode, lines.feed(chunk)):
                if isinstance(message, PointMessage):
                    yield message.point
                elif isinstance(message, Failed):
                    failed = failed or message.why
        else:
            return
    code = process.wait()
    if failed or code:
        raise RanksError(failed or f"torchrun ended with exit code {code}")


def end(process: subprocess.Popen[bytes]) -> None:
    """End torchrun and its ranks: SIGTERM, `TERM_S`, SIGKILL; ranks also see their pipe close."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(TERM_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def main() -> None:
    """Be one rank under torchrun: points of rank 0 to the wire, everything else to stderr."""
    wire = os.dup(1)
    os.dup2(2, 1)
    _die_with_worker(lambda: os.read(0, 1))
    name, kind, given = sys.argv[1:4]
    rank, world, local = (int(os.environ[word]) for word in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        device = torch.device("cpu") if kind == "cpu" else torch.device(kind, local)
        if kind != "cpu":
            torch.accelerator.set_device_index(local)
        torch.distributed.init_process_group(BACKENDS.get(kind, "gloo"), timeout=timedelta(seconds=MEETING_S))
        for point in _find(name)(Rank(torch, rank, world, device), **json.loads(given)):
            if rank == 0:
                os.write(wire, encode(PointMessage(point=point)))
        torch.distributed.barrier()
    except BaseException as error:
        os.write(wire, encode(Failed(failure="crashed", why=_words(rank, error))))
        time.sleep(POLL_S)
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
