"""A worker on a machine with a GPU, as the protocol shows it: says which device a run asked for."""

from __future__ import annotations

import json
import sys


def say(kind: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"studyapp": 1, "kind": kind, **fields}) + "\n")
    sys.stdout.flush()


say("ready", protocol=1, devices=[{"type": "cpu", "count": 1}, {"type": "cuda", "count": 1, "name": "Fake GPU"}])
for line in sys.stdin:
    request = json.loads(line)
    if request["kind"] == "run":
        run, asked = request["run"], request["device"]
        device = "cuda" if asked == "auto" else asked
        say("started", run=run, experiment=request["experiment"], device=device)
        say("point", run=run, point={"series": "kept", "x": 1, "y": 2.0})
        say("done", run=run, facts={"device": device, "device_name": f"asked for {asked}"})
