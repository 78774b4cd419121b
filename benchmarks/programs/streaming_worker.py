"""A worker that measures nothing: it sends a steady stream of points for the default chart, as a busy run would.

Speaks the worker's protocol on standard input and output. Usage: streaming_worker.py [POINTS_PER_S [SECONDS]]
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any

ROWS = (1, 4, 16, 32, 64, 256, 1024, 4096, 10_000)
LANES = ("one", "cpu")


def say(kind: str, run: str | None = None, **fields: Any) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps({"studyapp": 1, "kind": kind, "run": run, **fields}) + "\n")
    sys.stdout.flush()


def stream(run: str, per_s: float, seconds: float) -> None:
    """Send points lane by lane, row by row; every pass over them moves each a little, as better samples do."""
    keys = [(lane, rows) for lane in LANES for rows in ROWS]
    begin = time.perf_counter()
    for number in range(int(per_s * seconds)):
        time.sleep(max(0.0, begin + number / per_s - time.perf_counter()))
        lane, rows = keys[number % len(keys)]
        turn = number // len(keys)
        y = (2e-4 + rows * 3e-8 * (1 if lane == "one" else 0.7)) * (1 + 0.3 / (1 + turn) * math.cos(number))
        point = {
            "series": lane,
            "x": rows,
            "y": y,
            "low": y,
            "high": y * 1.1,
            "repeats": turn + 1,
            "settled": True,
        }
        say("point", run, point=point)


def main(per_s: float, seconds: float) -> None:
    """Greet, then answer every request with a stream."""
    say("ready", protocol=1, torch="0.0", threads=1, cores=2)
    for line in sys.stdin:
        request = json.loads(line)
        if request["kind"] != "run":
            continue
        run = request["run"]
        say("started", run, experiment=request["experiment"], seconds=60.0, device="cpu", device_name="none")
        stream(run, per_s, seconds)
        facts = {"device": "cpu", "device_name": "none", "threads": 1, "cores": 2, "controls": {}, "busy": False}
        say("done", run, facts=facts, points=int(per_s * seconds), rss_mb=1.0, base_mb=1.0)


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    main(*(given + [20.0, 12.0][len(given) :]))
