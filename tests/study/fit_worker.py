"""A worker that answers a `fit` request as told: better, worse, nan, hang, crash."""

from __future__ import annotations

import json
import sys
import time

NUMBERS = [
    *(0.3, 1.5, 2.6, 9.0, 6.4, 0.8, 3.0, 0.001, 1.9, 0.17, 0.8),
    *(1.5, 0.06, 0.26, 1.6, 0.6, 1.9, 0.54, 0.09, 0.07, 0.15),
]


def say(kind: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"studyapp": 1, "kind": kind, **fields}) + "\n")
    sys.stdout.flush()


def main(mode: str) -> None:
    if mode == "no_torch":
        say("failed", failure="no_torch", why="No module named 'torch'.")
        sys.exit(3)
    say("ready", protocol=1)
    for line in sys.stdin:
        request = json.loads(line)
        if request["kind"] == "fit":
            run = request["run"]
            say("started", run=run, experiment="fit", seconds=30)
            say("point", run=run, point={"series": "loss", "x": 1, "y": 0.4})
            if mode == "crash":
                sys.exit(1)
            while mode == "hang":
                time.sleep(0.05)
            numbers = [None if mode == "nan" else n for n in NUMBERS[:-1]] + [NUMBERS[-1]]
            loss = 0.3 if mode == "better" else 0.5
            if mode == "nan":
                numbers, loss = [9e9, *NUMBERS[1:]], 0.1
            fields = {
                "parameters": numbers,
                "trained": 400,
                "held_out": 100,
                "loss_before": 0.4,
                "loss_after": loss,
            }
            say("fitted", run=run, took_s=0.5, **fields)
        elif request["kind"] == "cancel":
            say("cancelled", run=request["run"])


if __name__ == "__main__":
    main(sys.argv[1])
