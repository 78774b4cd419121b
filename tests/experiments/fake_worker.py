"""A worker without torch that speaks the protocol from a recording: `python fake_worker.py [START [BEHAVIOUR]]`.

The experiment named in a request chooses how it behaves (see `BEHAVIOURS`), else BEHAVIOUR does, with the points
of a small net; START is "", "no_torch", "old", "never", "card" or "dies". It writes its lines by hand, so that it
also checks what `protocol.py` believes.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

RECORDING = [("time", 1.0, 2e-5), ("time", 2.0, 3e-5), ("time", 4.0, 5e-5)]
SMALL_NET = [("one", 1.0, 2.0e-4), ("one", 64.0, 2.1e-4), ("one", 256.0, 2.2e-4)]


def say(kind: str, run: str | None = None, **fields: Any) -> None:
    raw(json.dumps({"studyapp": 1, "kind": kind, "run": run, **fields}).encode() + b"\n")


def raw(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


class Wire:
    """Requests, and the cancels that came meanwhile."""

    def __init__(self) -> None:
        self.waiting: list[dict[str, Any]] = []
        self.cancelled: set[str] = set()
        self._rest = b""

    def poll(self, seconds: float | None) -> None:
        if not select.select([0], [], [], seconds)[0]:
            return
        chunk = os.read(0, 65536)
        if not chunk:
            sys.exit(0)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message["kind"] == "cancel":
                self.cancelled.add(message["run"])
            else:
                self.waiting.append(message)

    def next(self) -> dict[str, Any]:
        while not self.waiting:
            self.poll(None)
        return self.waiting.pop(0)


def point(run: str, series: str, x: float, y: float | None) -> None:
    say("point", run, point={"series": series, "x": x, "y": y, "low": y, "high": y, "repeats": 9, "settled": True})


def points(run: str, count: int = 3) -> None:
    for series, x, y in RECORDING[:count]:
        point(run, series, x, y)


def done(run: str, *, rss_mb: float = 280.0, **facts: Any) -> None:
    usual = {"device": "cpu", "device_name": "Fake CPU", "threads": 1, "cores": 2, "controls": {}, "busy": False}
    say("done", run, facts={**usual, **facts}, points=3, rss_mb=rss_mb, base_mb=280.0)


def normal(run: str, wire: Wire) -> None:
    points(run)
    done(run)


def endless(run: str, wire: Wire) -> None:
    for x in ticks(0.01):
        point(run, "time", x, 1e-3)
        wire.poll(0)
        if run in wire.cancelled:
            say("cancelled", run, rss_mb=280.0, base_mb=280.0)
            return


def deaf(run: str, wire: Wire) -> None:
    for x in ticks(0.05):
        point(run, "time", x, 1e-3)


def hang(run: str, wire: Wire) -> None:
    points(run, 1)
    time.sleep(600)


def crash(run: str, wire: Wire) -> None:
    points(run, 1)
    print("Traceback (most recent call last):\nValueError: on purpose", file=sys.stderr, flush=True)
    say("failed", run, failure="crashed", why="ValueError: on purpose")


def segfault(run: str, wire: Wire) -> None:
    points(run, 1)
    os.kill(os.getpid(), signal.SIGSEGV)


def half_a_line(run: str, wire: Wire) -> None:
    points(run, 2)
    raw(b'{"studyapp":1,"kind":"poi')
    sys.exit(7)


def noise(run: str, wire: Wire) -> None:
    points(run, 1)
    raw(b"NCCL version 2.21\n\xff\xfe not UTF-8\n" + b"x" * 5_000_000 + b"\n[1, 2]\n{}\n")
    raw(b'{"kind":"point","run":"' + run.encode() + b'"}\n')  # no marker
    raw(b'{"studyapp":1,"kind":"point","run":"x","point":{}}\n')
    for line in range(20_000):
        os.write(2, b"noise on stderr, line %05d, some fifty characters long\n" % line)
    points(run)
    done(run)


def noise_then_crash(run: str, wire: Wire) -> None:
    for line in range(20_000):
        os.write(2, b"line %05d of a megabyte on stderr, and some more words\n" % line)
    crash(run, wire)


def nan(run: str, wire: Wire) -> None:
    raw(b'{"studyapp":1,"kind":"point","run":"%s","point":{"series":"time","x":1,"y":NaN}}\n' % run.encode())
    raw(b'{"studyapp":1,"kind":"point","run":"%s","point":{"series":"time","x":2,"y":Infinity}}\n' % run.encode())
    point(run, "time", 4, 5e-5)
    done(run)


def memory(run: str, wire: Wire) -> None:
    points(run, 2)
    done(run, cut_short=True, why_cut="stopped after time at 2: memory")


def refused(run: str, wire: Wire) -> None:
    say("refused", run, why="It needs about 64.0 GB of memory; 20.0 GB are free.")


def heavy(run: str, wire: Wire) -> None:
    points(run)
    done(run, rss_mb=900.0)


def on_a_card(run: str, wire: Wire) -> None:
    points(run)
    done(run, device="cuda", device_name="Fake GPU")


def crash_on_a_card(run: str, wire: Wire) -> None:
    say("failed", run, failure="crashed", why="RuntimeError: CUDA error: device-side assert triggered")


def stale(run: str, wire: Wire) -> None:
    point("another-run", "time", 99, 1.0)
    say("done", "another-run")
    normal(run, wire)


def ticks(seconds: float) -> Iterator[int]:
    x = 0
    while True:
        x += 1
        time.sleep(seconds)
        yield x


Behaviour = Callable[[str, Wire], None]
ALL: tuple[Behaviour, ...] = (
    *(normal, endless, deaf, hang, crash, segfault, half_a_line, noise),
    *(noise_then_crash, nan, memory, heavy, on_a_card, crash_on_a_card, stale),
)
BEHAVIOURS = {behaviour.__name__: behaviour for behaviour in ALL}


def main(start: str, behaviour: str) -> None:
    if start == "never":
        time.sleep(600)
    if start == "dies":
        print("libgomp: Thread creation failed", file=sys.stderr, flush=True)
        sys.exit(1)
    if start == "no_torch":
        say("failed", failure="no_torch", why="this python has no torch")
        sys.exit(3)
    version = 99 if start == "old" else 1
    devices = [{"type": "cuda", "count": 1, "name": "Fake GPU"}] if start == "card" else []
    say("ready", protocol=version, torch="0.0", threads=1, cores=2, devices=devices, a_newer_field={"x": 1})
    wire = Wire()
    while True:
        request = wire.next()
        if request["kind"] != "run":
            continue
        run, name = request["run"], request["experiment"]
        if name == "refused":
            refused(run, wire)
            continue
        limit = request["seconds"] or 8.0
        device = "cuda" if name.endswith("on_a_card") else "cpu"
        say("started", run, experiment=name, seconds=limit, device=device, device_name=f"Fake {device}")
        if name not in BEHAVIOURS:
            RECORDING[:] = SMALL_NET
        BEHAVIOURS.get(name, BEHAVIOURS[behaviour])(run, wire)


if __name__ == "__main__":
    main(*(sys.argv[1:] + ["", "normal"][len(sys.argv) - 1 :]))
