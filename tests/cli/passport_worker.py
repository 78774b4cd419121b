"""A worker without torch that measures a passport as a recording has it: `python passport_worker.py [BEHAVIOUR]`.

BEHAVIOUR is quiet (the default), busy, slow (points until it is cancelled), cut, crash or refuse. Any other
experiment gets a few points of layer-batch, so that a roofline can be drawn beside them.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

FIGURES: list[tuple[str, float, float]] = [
    ("machine cores used", 0, 2),
    ("machine cores", 0, 2),
    ("machine memory", 0, 25.3e9),
    ("call one", 0, 6.4e-7),
    ("call all", 0, 3e-6),
    ("ladder one", 2**18, 1.6e11),
    ("ladder one", 2**27, 4e10),
    ("ladder all", 2**19, 2.3e11),
    ("ladder all", 2**27, 4.1e10),
    ("rate float32 one", 256, 1.1e11),
    ("rate float32 one", 512, 1.0e11),
    ("rate float32 all", 256, 2.1e11),
    ("rate bfloat16 one", 512, 4.7e11),
    ("rate bfloat16 all", 512, 9.1e11),
]
LAYER = [("one", 1.0, 1.2e-5), ("one", 2.0, 2.2e-5), ("one", 256.0, 1.25e-3)]


def say(kind: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps({"studyapp": 1, "kind": kind, **fields}) + "\n")
    sys.stdout.flush()


def point(run: str, series: str, x: float, y: float) -> None:
    found = {
        "series": series,
        "x": x,
        "y": y,
        "low": y,
        "high": y,
        "repeats": 9,
        "settled": series != "ladder all",
    }
    say("point", run=run, point=found | ({"basis": "counted"} if series.startswith("machine") else {}))


def cancelled() -> bool:
    return bool(select.select([0], [], [], 0.01)[0]) and "cancel" in os.read(0, 65536).decode()


def done(run: str, **facts: Any) -> None:
    usual = {"device": "cpu", "device_name": "Fake CPU", "threads": 1, "cores": 2, "busy": False}
    more = {"torch": TORCH, "machine": os.uname().nodename, "driver": "", **facts.pop("more", {})}
    say("done", run=run, facts={**usual, **facts, "more": more}, took_s=5.0)


def passport(run: str, behaviour: str) -> None:
    if behaviour == "refuse":
        say("refused", run=run, why="It needs about 268 MB of memory; 10.0 MB are free.")
        return
    say("started", run=run, experiment="passport", device="cpu", device_name="Fake CPU", threads=1, cores=2)
    for figure in FIGURES if behaviour != "slow" else FIGURES[:5]:
        point(run, *figure)
    while behaviour == "slow":
        point(run, *FIGURES[5])
        if cancelled():
            say("cancelled", run=run)
            return
    if behaviour == "crash":
        say("failed", run=run, failure="crashed", why="ValueError: on purpose")
    elif behaviour == "busy":
        done(run, busy=True, more={"why_busy": "arithmetic took 2.0 times as long as at this machine's best"})
    else:
        done(run, cut_short=behaviour == "cut", why_cut="time limit" if behaviour == "cut" else "")


def layer(run: str) -> None:
    say("started", run=run, experiment="layer-batch", device="cpu", device_name="Fake CPU", threads=1, cores=2)
    for figure in LAYER:
        point(run, *figure)
    done(run)


def lines() -> str:
    found = b""
    while not found.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit(0)
        found += byte
    return found.decode()


TORCH = os.environ.get("FAKE_TORCH", "2.13.0+cpu")
BEHAVIOUR = sys.argv[1] if sys.argv[1:] else "quiet"
say("ready", protocol=1, torch=TORCH, host=os.uname().nodename, cpu="Fake CPU", threads=1, cores=2, devices=[])
while True:
    request = json.loads(lines())
    if request["kind"] == "run":
        if request["experiment"] == "passport":
            passport(request["run"], BEHAVIOUR)
        else:
            layer(request["run"])
