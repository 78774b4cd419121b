"""Every experiment for real, through the worker: at both ends of every control, within a second each."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from studyapp.core.points import Point, latest, series
from studyapp.core.verdicts import Outcome, decide
from studyapp.experiments import catalog
from studyapp.experiments.claim import Experiment
from studyapp.experiments.listening import Patience
from studyapp.experiments.protocol import Done, Message, PointMessage, Request
from studyapp.experiments.runner import Runner, facts_from
from tests.experiments.claims.pretend import lanes

pytestmark = pytest.mark.torch
LIMIT_S = 1.0
NEED_A_GPU = ("scaled-training", "wait-each-step", "worth-moving", "bus", "pin")
"""What a CPU measures for these is a stand-in, an assumption, or its own memory."""
Case = tuple[str, dict[str, Any]]


def settings(experiment: Experiment) -> list[dict[str, Any]]:
    """Return the defaults, then each control at either end or at each choice, the others at their default."""
    found: list[dict[str, Any]] = [{}]
    for control in experiment.controls:
        found += [{control.name: end} for end in control.choices or (control.low, control.high)]
    return found


CASES: list[Case] = [(name, given) for name in catalog.ids() for given in settings(catalog.experiment(name))]
WHOLE: list[Case] = [
    ("kept", {}),
    ("out-of-memory", {"budget_mb": 40}),
    ("out-of-memory", {"net": "wide"}),
    ("lost-gradients", {"activation": "sigmoid"}),
]
"""Runs that must come to their end, however slow the machine."""
NAMES = [
    f"{name} {' '.join(f'{k}={v:g}' if not isinstance(v, str) else v for k, v in g.items())}" for name, g in CASES
]


async def run_all(cases: Sequence[Case], seconds: float | None) -> list[list[Message]]:
    heard = []
    # one step of the largest nets can take seconds on a crowded machine, and the deadline waits for it
    async with Runner(patience=replace(Patience(), slack_s=30.0)) as runner:
        for index, (name, given) in enumerate(cases):
            controls = catalog.experiment(name).parse_controls(given)
            request = Request(run=str(index), experiment=name, controls=controls, seconds=seconds, device="cpu")
            request = replace(request, alarm_slack_s=40.0)
            messages = [message async for message in runner.run(request)]
            if not any(isinstance(message, PointMessage) for message in messages):
                # on a crowded machine the limit may pass before the first point of a large net: once, as it likes
                messages = [
                    message async for message in runner.run(replace(request, run=f"{index}b", seconds=None))
                ]
            heard.append(messages)
    return heard


@pytest.fixture(scope="module")
def runs() -> list[list[Message]]:
    return asyncio.run(run_all(CASES, LIMIT_S))


@pytest.mark.parametrize("index", range(len(CASES)), ids=NAMES)
def test_both_ends_of_every_control_run_for_real(index: int, runs: list[list[Message]]) -> None:
    experiment = catalog.experiment(CASES[index][0])
    messages = runs[index]
    points = [m.point for m in messages if isinstance(m, PointMessage)]

    end = messages[-1]

    assert isinstance(end, Done), end
    assert points
    assert {p.series for p in points} <= {lane.id for lane in experiment.plot.lanes}
    assert all(p.finite for p in points)
    facts = facts_from(end, experiment.parse_controls(CASES[index][1]))
    verdict = decide(experiment.judge, points, facts, timed=experiment.timed)
    if experiment.id in ("small-net", "layer-batch", "paper-race", "race", "lost-gradients", *NEED_A_GPU):
        assert verdict.outcome not in (Outcome.HOLDS, Outcome.DOES_NOT_HOLD)  # a CPU is no GPU
    assert experiment.marks(latest(points), facts) is not None


@pytest.fixture(scope="module")
def whole() -> list[list[Message]]:
    return asyncio.run(run_all(WHOLE, None))


def points_of(name: str, given: Mapping[str, Any], whole: list[list[Message]]) -> list[Point]:
    messages = whole[WHOLE.index((name, dict(given)))]
    return latest(m.point for m in messages if isinstance(m, PointMessage))


def test_resnet_50_has_the_bytes_the_literature_gives_it(whole: list[list[Message]]) -> None:
    points = points_of("kept", {}, whole)

    weights, kept = series(points, "weights"), series(points, "kept")

    assert weights[1].y == 25_557_032 * 4
    assert round((kept[64].y or 0) / 64e6, 1) == 85.9
    assert round((kept[64].y or 0) / 1e9, 2) == 5.5


@pytest.mark.skipif(sys.platform != "linux", reason="memory caps need Linux")
def test_each_net_fails_at_its_own_stage(whole: list[list[Message]]) -> None:
    loading = points_of("out-of-memory", {"budget_mb": 40}, whole)
    wide = series(points_of("out-of-memory", {"net": "wide"}, whole), "refused")

    assert 0 in series(loading, "used")  # a convolutional net loads into 40 MB
    assert list(wide) == [3]  # 300 MB hold weights and gradients of the wide net, not Adam's moments


def test_a_deep_sigmoid_net_loses_its_first_gradients_in_float16_only(whole: list[list[Message]]) -> None:
    points = points_of("lost-gradients", {"activation": "sigmoid"}, whole)

    first, last = series(points, "first"), series(points, "last")

    assert (first[1].y or 0) < 50
    assert max(p.y or 0 for p in first.values()) > 99
    assert (last[1].y or 0) > 99  # only the way back to the first layer is long enough
    assert (series(points, "bfloat16")[1].y or 0) > 99


def test_an_accelerator_gets_its_own_lanes() -> None:
    found = lanes(
        {
            "small-net": {},
            "layer-batch": {},
            "race": {"width": 16},
            "half-speed": {"batch": 8},
            "wait-each-step": {"device_ms": 0.5},
            "worth-moving": {"rows": 16},
            "bus": {"kib": 16},
            "pin": {"device_ms": 0.0},
            "passport": {},
        }
    )

    passport = set(found.pop("passport"))
    assert {"call device", "answer device", "ladder device", "bus trip", "bus pinned", "bus back"} <= passport
    assert {f"rate {name} device" for name in ("float32", "bfloat16", "float16", "float64")} <= passport
    assert not any(name.endswith((" one", " all")) for name in passport)
    assert found == {
        "small-net": ["copied", "cpu", "one", "resident"],
        "layer-batch": ["answer", "queued"],
        "race": ["copied", "cpu", "one", "resident"],
        "half-speed": ["float32"],
        "wait-each-step": ["item", "step"],
        "worth-moving": ["here", "trip"],
        "bus": ["back", "device", "host", "pageable", "pinned"],
        "pin": ["rate 0", "rate 1", "rate 2", "rate 3"],
    }
