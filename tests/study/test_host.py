"""A trial on another machine is kept apart from those of this one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from studyapp.core.points import Basis, Point
from studyapp.experiments import protocol
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial


@pytest.fixture
def desk(desk_of: Callable[..., Desk]) -> Desk:
    return desk_of()


def _far(desk: Desk) -> Desk:
    return dataclasses.replace(desk, options=dataclasses.replace(desk.options, worker_host="me@box"))


def _run(desk: Desk) -> Trial:
    trial = Trial(desk, "kept")
    trial.predict(3e9, device="cpu")
    for message in (
        protocol.Started(device="cpu", threads=2, cores=8),
        protocol.PointMessage(point=Point("kept", 64.0, 5.5e9, basis=Basis.COUNTED)),
        protocol.Done(took_s=1.0, facts={"device": "cpu", "threads": 2, "cores": 8}),
    ):
        trial.fold(message)
    return trial


def test_a_run_on_another_machine_says_so_and_is_no_run_of_this_one(desk: Desk) -> None:
    trial = _run(_far(desk))

    assert trial.where == "cpu, 2 threads on box"
    assert trial.as_json()["host"] == "box"
    stored = desk.store.last_run("kept")
    assert stored is not None
    assert (stored.device, stored.facts.host) == ("cpu@box", "box")
    assert desk.store.last_run("kept", device="cpu") is None


def test_the_first_prediction_for_this_machine_still_counts_after_one_for_another(desk: Desk) -> None:
    _run(_far(desk))

    assert not desk.store.first_prediction_exists("kept", {"batch": 64, "side": 224}, "cpu")
    assert desk.store.first_prediction_exists("kept", Trial(desk, "kept").controls, "cpu@box")
