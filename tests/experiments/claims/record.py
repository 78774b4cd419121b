"""Record runs of the real worker: `python -m tests.experiments.claims.record calm|hogs [ID ...]`, from the root.

"calm" tries again while the worker finds the machine disturbed; "hogs" keeps two busy loops running beside each
experiment. Everything a verdict needs goes into the file, with the device, the date and the versions.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from studyapp.core.points import Point, latest
from studyapp.core.verdicts import decide
from studyapp.experiments import catalog
from studyapp.experiments.claim import Value
from studyapp.experiments.protocol import Done, Message, PointMessage, Request
from studyapp.experiments.runner import facts_from, run_sync

FOLDER = Path(__file__).parents[2] / "recordings"
TRIES, PAUSE_S = 8, 1.0
"""A calm run is tried again this often while the worker finds the machine disturbed."""
SETTINGS: dict[str, list[dict[str, object]]] = {
    "small-net": [{}],
    "layer-batch": [{}],
    "core-race": [{}, {"width": 64}],
    "paper-race": [{}, {"width": 16, "bus_gb_s": 1.0}],
    "race": [{}],
    "width": [{}, {"batch": 1, "narrow": 512, "wide": 4096}],
    "busy-not-full": [{}, {"width": 64}],
    "one-after-another": [{}, {"order": "separate"}],
    "matmul-share": [{}, {"update": "none"}],
    "kept": [{}, {"batch": 1}],
    "bert-kept": [{}, {"batch": 1}],
    "wait-each-step": [{}, {"host_ms": 0.0}],
    "pin": [{}],
    "fix-or-buy": [{}, {"passes": 16}],
    "decode-workers": [{}, {"pictures": 1}],
    "loader-workers": [{}, {"passes": 16}],
    "out-of-memory": [{}, {"net": "wide"}],
    "recompute": [{}, {"segments": 1}],
    "lost-gradients": [{}, {"activation": "sigmoid"}],
    "worth-moving": [{}, {"width": 16}],
    "bus": [{}],
    "scaled-training": [{}, {"activation": "sigmoid", "scaler": "off"}],
    "master-weights": [{}, {"step": 0.01}],
    "sixteen-bit-floor": [{}, {"format": "bfloat16"}],
    "half-speed": [{}, {"batch": 8}],
    "half-memory": [{}, {"batch": 1}],
    "memory-ladder": [{}, {"largest_mb": 1}],
    "optimizer-state": [{}, {"optimizer": "momentum"}],
    "sharding": [{}, {"stage": 1}],
    "fits": [{}, {"checkpointing": "yes"}],
    "days": [{}, {"task": "imagenette"}],
    "one-request": [{}, {"budget_ms": 1.0}],
    "same-rate": [{}, {"base": "timid"}, {"optimizer": "adam"}],
    "averaged-gradients": [{}, {"slices": "unequal"}],
    "fsdp": [{}, {"strategy": "ddp"}],
    "bubble": [{}, {"work": "multiply", "stages": 2}],
    "two-card": [{}],
    "dp-or-ddp": [{}],
    "trees-or-net": [{}, {"tables": "steps"}, {"tables": "smooth"}],
    "own-forgetting": [{}, {"reviews": 100, "prior": "none"}],
}


def record(name: str, given: dict[str, object], load: str) -> None:
    experiment = catalog.experiment(name)
    controls = experiment.parse_controls(given)
    end, points = _run(name, controls)
    for _ in range(TRIES if load == "calm" else 0):
        if not end.facts["busy"]:
            break
        time.sleep(PAUSE_S)
        end, points = _run(name, controls)
    facts = facts_from(end, controls)
    verdict = decide(experiment.judge, points, facts, timed=experiment.timed)
    whole = {
        "experiment": name,
        "load": load,
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "took_s": round(end.took_s, 3),
        "facts": end.facts,
        "points": [point.as_json() for point in points],
        "verdict": verdict.as_json(),
    }
    setting = "".join(f"-{key}-{value}" for key, value in given.items())
    path = FOLDER / f"{name}{setting}-{load}.json"
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{end.took_s:5.2f} s {path.name}: {verdict.outcome.value}, {verdict.because} {facts.busy}")


def _run(name: str, controls: Mapping[str, Value]) -> tuple[Done, list[Point]]:
    heard: list[Message] = []
    end = run_sync(Request(run="1", experiment=name, controls=controls), heard.append)
    if not isinstance(end, Done):
        raise SystemExit(f"{name}: {end}")
    return end, latest(m.point for m in heard if isinstance(m, PointMessage))


def main(load: str, names: list[str]) -> None:
    spin = [sys.executable, "-c", "while True: pass"]
    hogs = [subprocess.Popen(spin) for _ in range(2)] if load == "hogs" else []
    try:
        for name in names or list(SETTINGS):
            for given in SETTINGS[name]:
                record(name, given, load)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
