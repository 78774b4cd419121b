"""A worker without torch that replays real recordings: `python worker.py FOLDER ... [NAME=BEHAVIOUR ...]`.

Each experiment's points and facts come from `FOLDER/NAME-calm.json`. BEHAVIOUR is `hold` (half of the points, then
nothing until it is cancelled), `crash` or `refuse`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def say(kind: str, **fields: Any) -> None:
    """Write one line of the protocol."""
    data = json.dumps({"studyapp": 1, "kind": kind, **fields}).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


def recording(folders: list[Path], name: str) -> dict[str, Any] | None:
    """Return the recorded run of an experiment, None if there is none."""
    for folder in folders:
        path = folder / f"{name}-calm.json"
        if path.exists():
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
    return None


def lines() -> Any:
    """Yield requests until the program goes."""
    rest = b""
    while chunk := os.read(0, 65536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield json.loads(line)


def answer(run: str, found: dict[str, Any], name: str, behaviour: str) -> str:
    """Answer one request; return the run that is held, "" when it ended."""
    if behaviour == "refuse":
        say("refused", run=run, why="It needs about 64.0 GB of memory; 20.0 GB are free.")
        return ""
    facts, points = found["facts"], found["points"]
    usual = {key: facts[key] for key in ("device", "device_name", "threads", "cores")}
    say("started", run=run, experiment=name, **usual)
    sent = points[: len(points) // 2] if behaviour in ("hold", "crash") else points
    for point in sent:
        say("point", run=run, point=point)
    if behaviour == "crash":
        say("failed", run=run, failure="crashed", why="RuntimeError: a fault made for this picture")
        return ""
    if behaviour == "hold":
        return run
    say("done", run=run, facts=facts, points=len(points), took_s=found["took_s"])
    return ""


def main() -> None:
    """Greet, then answer every request."""
    folders = [Path(word) for word in sys.argv[1:] if "=" not in word]
    behaviours = dict(word.split("=") for word in sys.argv[1:] if "=" in word)
    any_run = next(path for path in sorted(folders[0].glob("*-calm.json")))
    facts = json.loads(any_run.read_text(encoding="utf-8"))["facts"]
    more = facts["more"]
    cpu = {"cpu": facts["device_name"], "threads": 1, "cores": facts["cores"]}
    say("ready", protocol=1, torch=more["torch"], why_cpu=more["why_cpu"], devices=[], host="box", **cpu)
    for request in lines():
        run, name = request["run"], request.get("experiment", "")
        if request["kind"] == "cancel":
            say("cancelled", run=run)
        elif request["kind"] == "run":
            found = recording(folders, name)
            if found is None:
                say("failed", run=run, failure="crashed", why=f"There is no recording of {name}.")
            else:
                answer(run, found, name, behaviours.get(name, ""))


if __name__ == "__main__":
    main()
