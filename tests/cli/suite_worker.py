"""A worker that speaks the protocol for the whole lesson: every experiment by its id behaves as asked.

`python suite_worker.py [NAME=BEHAVIOUR ...]`: BEHAVIOUR is crash, die, busy, refuse, endless or fast,
which is the default; NAME may be "all".
"""

from __future__ import annotations

import json
import os
import select
import sys
import time


def say(kind: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"studyapp": 1, "kind": kind, **fields}) + "\n")
    sys.stdout.flush()


def answer(run: str, name: str, behaviour: str) -> None:
    if behaviour == "refuse":
        say("refused", run=run, why="It needs about 64.0 GB of memory; 20.0 GB are free.")
        return
    say("started", run=run, experiment=name, device="cpu", device_name="Fake CPU", threads=1, cores=2)
    say("point", run=run, point={"series": "kept", "x": 1, "y": 2.0, "basis": "counted"})
    if behaviour == "die":
        os._exit(9)
    if behaviour == "crash":
        say("failed", run=run, failure="crashed", why="ValueError: on purpose")
        return
    while behaviour == "endless":
        say("point", run=run, point={"series": "kept", "x": time.monotonic(), "y": 2.0})
        if select.select([0], [], [], 0.02)[0] and "cancel" in os.read(0, 65536).decode():
            say("cancelled", run=run)
            return
    facts = {"device": "cpu", "device_name": "Fake CPU", "threads": 1, "cores": 2, "busy": behaviour == "busy"}
    facts["more"] = {"torch": "0.0", "free_bytes": 4e9}
    say("done", run=run, facts=facts, took_s=0.01)


def lines() -> str:
    """Read one request without buffering what follows it: `endless` looks for a cancel itself."""
    found = b""
    while not found.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit(0)
        found += byte
    return found.decode()


behaviours = dict(word.split("=") for word in sys.argv[1:])
say("ready", protocol=1, torch="0.0", cpu="Fake CPU", threads=1, cores=2, why_cpu="no GPU was found", devices=[])
while True:
    request = json.loads(lines())
    if request["kind"] == "run":
        name = request["experiment"]
        answer(request["run"], name, behaviours.get(name, behaviours.get("all", "fast")))
