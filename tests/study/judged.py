"""Runs that were judged, made under a torch, driver and machine that a test names."""

from __future__ import annotations

import os
from typing import Any

from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store.records import NewRun
from studyapp.study.desk import Desk
from studyapp.study.going_stale import bring_back

HERE = os.uname().nodename
CONTROLS = {"hidden": 64}
"""Those of small-net, which the cards of the demo lesson link to."""


def ran(
    desk: Desk,
    outcome: Outcome = Outcome.HOLDS,
    *,
    experiment: str = "small-net",
    controls: dict[str, Any] | None = None,
    device: str = "cpu",
    name: str = "Test CPU",
    back: bool = False,
    **more: str,
) -> str:
    """Store a judged run made now; with `back` also what a trial does after it."""
    facts = Facts(device, name, more={"torch": "2.13.0+cpu", "machine": HERE, **more})
    moment = desk.clock()
    run = NewRun(experiment, controls or CONTROLS, facts, moment.at_ms, moment.study_day, "done")
    uid = desk.store.save_run(run, [], Verdict(outcome, "because", 2.0, "x"))
    if back:
        bring_back(desk, uid, experiment)
    return uid
