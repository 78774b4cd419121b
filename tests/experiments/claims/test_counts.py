"""Counts of real nets against what is known of them, and an accelerator's lanes by a double of its allocator."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from studyapp.core.points import Point, latest, series, value
from studyapp.experiments import catalog
from studyapp.experiments.protocol import Done, PointMessage, Request
from studyapp.experiments.runner import Runner
from tests.conftest import ROOT
from tests.experiments.claims.pretend import LAB

pytestmark = pytest.mark.torch
COUNTED = ("optimizer-state", "half-memory", "bert-kept", "fits", "sharding")
BERT_PARAMETERS = 109_482_240 + 2 * 769


async def counts() -> dict[str, list[Point]]:
    found = {}
    async with Runner() as runner:
        for name in COUNTED:
            controls = catalog.experiment(name).parse_controls({})
            messages = [
                m async for m in runner.run(Request(name, experiment=name, controls=controls, device="cpu"))
            ]
            assert isinstance(messages[-1], Done), messages[-1]
            found[name] = latest(m.point for m in messages if isinstance(m, PointMessage))
    return found


@pytest.fixture(scope="module")
def counted() -> dict[str, list[Point]]:
    return asyncio.run(counts())


def rounded(points: list[Point], lane: str, digits: int = 2) -> dict[float, float]:
    return {x: round(value(p), digits) for x, p in series(points, lane).items()}


def test_optimizers_keep_none_one_two_or_three_numbers_per_weight(counted: dict[str, list[Point]]) -> None:
    assert list(rounded(counted["optimizer-state"], "state").values()) == [0.0, 1.0, 1.0, 2.0, 3.0]


def test_autocast_halves_what_resnet_50_keeps_and_not_its_weights(counted: dict[str, list[Point]]) -> None:
    points = counted["half-memory"]
    fixed, full, half = (value(series(points, lane)[64]) for lane in ("fixed", "float32", "half"))

    assert fixed == 16 * 25_557_032
    assert round((full - fixed) / 64e6, 1) == 85.9
    assert round((half - fixed) / (full - fixed), 2) == 0.52


def test_bert_keeps_in_proportion_to_its_sentences(counted: dict[str, list[Point]]) -> None:
    points = counted["bert-kept"]
    fused, maps = series(points, "fused"), series(points, "maps")

    assert value(series(points, "weights")[1]) == 4 * BERT_PARAMETERS
    assert value(fused[32]) == pytest.approx(32 * value(fused[1]), rel=0.01)
    # the maps of 12 layers and heads, float32, 128 x 128 for each of 32 sentences, are what lies between
    assert value(maps[32]) - value(fused[32]) == pytest.approx(12 * 12 * 128 * 128 * 32 * 4, rel=0.02)


def test_a_7b_model_takes_what_its_parameters_ask_for(counted: dict[str, list[Point]]) -> None:
    needed = [value(p) for p in series(counted["fits"], "needed").values()]
    whole, lora, four = needed[-3:]

    assert whole > 16 * 6_738_415_616
    assert 2 * 6_738_415_616 < lora < whole / 4
    assert four < lora - 1.4 * 6_476_271_616  # blocks in half a byte instead of two
    assert max(needed[:-3]) < lora


def test_thirteen_billion_parameters_are_cut_into_equal_slices(counted: dict[str, list[Point]]) -> None:
    stage = series(counted["sharding"], "stage 3")

    assert value(stage[1]) == 16 * 13_015_864_320
    assert value(stage[8]) == pytest.approx(value(stage[1]) / 8, rel=1e-4)


# The allocator is doubled by what is alive: every storage of a tensor that Python sees, a little more each call.
PRETEND = (
    LAB
    + """
import gc, itertools, json, sys, warnings
warnings.simplefilter("ignore")
import torch
from studyapp.experiments import catalog, vision
from studyapp.experiments.claims import busy_not_full, half_memory, kept
from studyapp.experiments.counting import count
from studyapp.experiments.utilisation import WATCHED_S
ticks = itertools.count(1)
def alive():
    seen = {t.untyped_storage()._cdata: t.untyped_storage().nbytes()
            for t in gc.get_objects() if type(t) in (torch.Tensor, torch.nn.Parameter) and t.device.type == "cpu"}
    return sum(seen.values()) + 1000 * next(ticks)
torch.cpu.memory_allocated = torch.cpu.max_memory_allocated = alive
torch.cpu.reset_peak_memory_stats = lambda: None
torch.cpu.mem_get_info = lambda: (8e9, 8e9)
# small enough for a CPU: float16 convolutions are a hundred times slower there
busy_not_full.PEAK_WIDTH, WATCHED_S["other"], kept.REAL_BATCHES = 16, 0.01, (1,)
half_memory.resnet50 = lambda torch: torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU())
found = {}
for name, given in json.loads(sys.argv[1]).items():
    experiment = catalog.experiment(name)
    lab = Pretend(torch, torch.device("cpu"), cores=2)
    lab.accelerated = True
    points = list(experiment.measure(lab, **experiment.parse_controls(given)))
    found[name] = sorted({point.series for point in points})
    found[name + " values"] = [p.y for p in points if p.series == "allocator"]
with torch.device("meta"):
    found["parameters"] = {n: sum(p.numel() for p in make(torch).parameters()) for n, make in vision.NETS.items()}
net, rows = torch.nn.Linear(8, 4, bias=False), torch.ones(2, 8)
seen = count(torch, lambda: torch.relu(net(rows)))
found["count"] = [seen.product_flop, seen.other_flop, len(seen.products)]
print(json.dumps(found))
"""
)
CASES: dict[str, dict[str, Any]] = {
    "optimizer-state": {},
    "half-memory": {"batch": 1, "side": 64},
    "bert-kept": {"batch": 1, "tokens": 16},
    "kept": {"batch": 1, "side": 64},
    "width": {"batch": 1},
    "busy-not-full": {"width": 16},
    "one-after-another": {"steps": 4},
    "matmul-share": {"width": 16, "batch": 1},
    "recompute": {"layers": 4, "width": 64, "batch": 1},
    "memory-ladder": {"largest_mb": 1},
}


@pytest.fixture(scope="module")
def pretended() -> dict[str, Any]:
    command = [sys.executable, "-c", PRETEND, json.dumps(CASES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_accelerator_gets_its_own_lanes(pretended: dict[str, Any]) -> None:
    assert {name: pretended[name] for name in CASES} == {
        "optimizer-state": ["allocator", "state"],
        "half-memory": ["fixed", "float32", "half", "half peak", "peak"],
        "bert-kept": ["allocated", "fused", "maps", "weights"],
        "kept": ["allocated", "kept", "weights"],
        "width": ["layer"],  # every time is the same here, so nothing is left beyond the call
        "busy-not-full": ["arithmetic", "busy", "call", "memory"],
        "one-after-another": ["chain", "separate", "together"],
        "matmul-share": ["arithmetic", "time"],
        "recompute": ["kept", "time"],
        "memory-ladder": ["device"],
    }


def test_what_an_optimizer_really_allocates_agrees_with_the_count(pretended: dict[str, Any]) -> None:
    assert pretended["optimizer-state values"] == [pytest.approx(2.0, abs=0.01)]


def test_vision_nets_have_the_parameters_they_were_published_with(pretended: dict[str, Any]) -> None:
    assert pretended["parameters"] == {
        "MobileNet": 3_504_872,
        "ResNet-18": 11_689_512,
        "ResNet-50": 25_557_032,
        "VGG-16": 138_357_544,
        "ViT-B/16": 86_567_656,
    }


def test_a_product_and_a_relu_are_counted_for_what_they_compute(pretended: dict[str, Any]) -> None:
    assert pretended["count"] == [2 * 2 * 8 * 4, 2 * 4, 1]
