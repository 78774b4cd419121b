from __future__ import annotations

import json
from dataclasses import replace

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Facts, Outcome
from studyapp.experiments.catalog import experiment, ids
from studyapp.study.needs import not_measured, unmet
from studyapp.study.recording import record, refusal
from studyapp.study.suite import Result, fingerprint, usual_s
from tests.chart.figures import layer_batch, paper_race
from tests.chart.suites import CPU, GPU, a_claim, a_result, a_suite, every_outcome

CARD = {"type": "cuda", "count": 1, "name": "Example GPU"}
PROCESSOR = {"type": "cpu", "count": 1, "name": "Example CPU"}

CLEAN = a_result("layer", Outcome.HOLDS, layer_batch(), facts=GPU)


@pytest.mark.parametrize(
    ("needs", "devices", "cores", "said"),
    [
        ({"accelerator"}, [PROCESSOR], 2, "It needs a GPU, and there is none to use here."),
        ({"accelerator"}, [], 2, "It needs a GPU, and there is none to use here."),
        ({"accelerator"}, [PROCESSOR, CARD], 2, ""),
        ({"two accelerators"}, [CARD], 2, "It needs two GPUs, and there is one to use here."),
        ({"two accelerators"}, [], 2, "It needs two GPUs, and there are none to use here."),
        ({"two accelerators"}, [CARD | {"count": 2}], 2, ""),
        ({"two cores"}, [], 1, "It needs two CPU cores, and one is allowed here."),
        ({"two cores"}, [], 2, ""),
        ({"memory cap", "processes", "bfloat16"}, [], 1, ""),
        (set(), [], 1, ""),
    ],
)
def test_what_is_lacking_is_said_before_anything_runs(
    needs: set[str], devices: list[dict[str, object]], cores: int, said: str
) -> None:
    claim = replace(a_claim("needy"), needs=frozenset(needs))

    assert unmet(claim, devices, cores) == said


def test_a_line_on_paper_is_named_before_anything_runs() -> None:
    race, steps = experiment("paper-race"), experiment("wait-each-step")

    assert not_measured(race, [CARD]) == not_measured(race, []) == "paper GPU: assumed, not measured here"
    assert not_measured(steps, []) == "a step: simulated, as there is no GPU to use here"
    assert not_measured(steps, [CARD]) == not_measured(experiment("small-net"), []) == ""


def test_the_reason_for_no_gpu_is_told_with_the_need() -> None:
    claim = replace(a_claim("needy"), needs=frozenset({"accelerator"}))

    assert unmet(claim, [], 2, "torch was built without CUDA.").endswith("here: torch was built without CUDA.")


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (CLEAN, ""),
        (replace(CLEAN, facts=replace(GPU, busy=True)), "the machine was busy"),
        (replace(CLEAN, facts=replace(GPU, cut_short=True)), "it was cut short"),
        (replace(CLEAN, state="cancelled", verdict=None), "it has no result"),
        (replace(CLEAN, state="skipped"), "it was not run"),
        (replace(CLEAN, points=()), "nothing was measured"),
        (replace(CLEAN, facts=replace(GPU, device_name="")), "the device did not name itself"),
        (a_result("p", Outcome.CANNOT_TEST, paper_race()), "some of it is assumed, not measured"),
        (
            replace(CLEAN, points=(Point("a", 1, 1.0, basis=Basis.SIMULATED),)),
            "some of it is simulated, not measured",
        ),
        (replace(CLEAN, points=(Point("a", 1, 1.0, settled=False),)), "most timings did not settle"),
    ],
)
def test_only_what_a_real_device_measured_undisturbed_is_recorded(result: Result, why: str) -> None:
    assert refusal(result) == why


def test_a_recording_holds_device_day_versions_and_every_point() -> None:
    recording = record(a_suite([CLEAN, replace(CLEAN, facts=replace(CPU, busy=True))]))

    data = json.loads(json.dumps(recording.as_json(), allow_nan=False))

    assert (recording.device, recording.device_name, recording.day) == ("cuda", "Example GPU", "2026-03-01")
    assert [name for name, _ in recording.left_out] == ["layer"]
    assert data["recorded_at"] == "2026-03-01T09:30:00+00:00"
    (run,) = data["runs"]
    assert (run["device_name"], run["torch"], run["driver"]) == ("Example GPU", "2.9.0", "13.0")
    assert [Point.from_json(point) for point in run["points"]] == list(CLEAN.points)


def test_a_suite_of_nothing_recordable_records_nothing() -> None:
    recording = record(a_suite([replace(CLEAN, points=())]))

    assert (recording.results, recording.device_name) == ((), "")


def test_counts_hold_every_outcome_even_at_zero() -> None:
    counts = every_outcome().counts()

    assert set(counts) == {*(outcome.value for outcome in Outcome), "no_result"}
    assert set(a_suite([]).counts().values()) == {0}


def test_the_fingerprint_names_cpu_card_driver_versions_and_memory() -> None:
    cpu = replace(CPU, more={"torch": "2.9.0", "free_bytes": 8e9})
    results = [a_result("a", Outcome.HOLDS, layer_batch(), facts=f) for f in (cpu, GPU)]

    words = fingerprint(results, "Linux", "3.12")

    assert (words["cpu"], words["accelerator"]) == ("Example CPU", "cuda Example GPU")
    assert (words["driver"], words["torch"], words["python"]) == ("13.0", "2.9.0", "3.12")
    only = fingerprint(results[:1], "Linux", "3.12")
    assert (only["memory free"], only["accelerator"]) == ("8.0 GB", "none")
    assert fingerprint([], "Linux", "3.12")["system"] == "Linux"


def test_why_there_is_no_card_is_part_of_the_fingerprint() -> None:
    facts = Facts("cpu", "Example CPU", more={"why_cpu": "built without CUDA"})

    words = fingerprint([a_result("a", Outcome.HOLDS, layer_batch(), facts=facts)], "Linux", "3.12")

    assert words["accelerator"] == "none: built without CUDA"


def test_the_lesson_takes_about_two_minutes_by_its_own_reckoning() -> None:
    assert usual_s(ids()) <= 150
