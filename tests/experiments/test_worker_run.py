"""One run and the loop around it, in this process: a fake torch, a list for a wire."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Point
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments import catalog
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.protocol import (
    Cancel,
    Cancelled,
    Done,
    Failed,
    Message,
    Note,
    PointMessage,
    Prepare,
    Refused,
    Request,
    Started,
    Warm,
)
from studyapp.experiments.wire import decode, encode
from studyapp.experiments.worker import limits, loop, start, wires
from studyapp.experiments.worker.allowance import Allowance
from studyapp.experiments.worker.loop import Bench
from studyapp.experiments.worker.run import Run


class Sheet:
    """Stands for every tensor; its product sums to 16 cubed."""

    def __matmul__(self, other: Sheet) -> Sheet:
        return self

    def neg_(self) -> Sheet:
        return self

    def sum(self) -> Sheet:
        return self

    def item(self) -> float:
        return 4096.0


def fake_torch(kind: str = "cpu", free_bytes: int = 8 * 10**9) -> Any:
    card = SimpleNamespace(
        get_device_name=lambda: "Fake H200",
        mem_get_info=lambda: (free_bytes, 10**10),
        empty_cache=lambda: None,
        get_device_properties=lambda index: SimpleNamespace(uuid="x"),
    )
    accelerator = SimpleNamespace(
        is_available=lambda: kind != "cpu",
        current_accelerator=lambda: SimpleNamespace(type=kind),
        device_count=lambda: 1,
        synchronize=lambda device: None,
    )
    return SimpleNamespace(
        __version__="2.13.0",
        version=SimpleNamespace(cuda="12.8" if kind == "cuda" else None, hip=None, xpu=None),
        accelerator=accelerator,
        cuda=card,
        device=lambda kind: SimpleNamespace(type=kind),
        ones=lambda *shape, device="cpu": Sheet(),
        empty=lambda *shape: Sheet(),
        mm=lambda a, b, out=None: a,
        set_num_threads=lambda count: None,
        get_num_threads=lambda: 1,
    )


class Wire:
    """Both ends: what was sent, and which runs count as cancelled after how many points."""

    def __init__(self, cancel_after: int | None = None) -> None:
        self.sent: list[Message] = []
        self.cancel_after = cancel_after

    def send(self, message: Message) -> None:
        decoded = decode(encode(message))
        assert decoded is not None
        self.sent.append(decoded)

    def cancelled(self, run: str | None) -> bool:
        points = sum(isinstance(message, PointMessage) for message in self.sent)
        return self.cancel_after is not None and points >= self.cancel_after

    def forget(self, run: str | None) -> None:
        self.cancel_after = None


def toy(measure: Callable[..., Iterator[Point]], **more: Any) -> Experiment:
    plot = Plot(Axis("x"), Axis("y"), (Lane("time", "time"),))

    def judge(points: Any, facts: Facts) -> Verdict:
        return Verdict(Outcome.TOO_NOISY, "")

    return Experiment("toy", "A toy.", "How long?", "s", plot, measure, judge, **more)


def three(lab: Lab) -> Iterator[Point]:
    yield from (Point("time", x, 1e-3) for x in (1.0, 2.0, 4.0))


def bench(torch: Any = None, wire: Wire | None = None) -> tuple[Bench, Wire]:
    wire = wire or Wire()
    inlet: Any = wire
    outlet: Any = wire
    return Bench(torch or fake_torch(), inlet, outlet, cores=2, foreign=False), wire


def go(experiment: Experiment, torch: Any = None, wire: Wire | None = None, **request: Any) -> list[Message]:
    found, wire = bench(torch, wire)
    controls: Mapping[str, Any] = experiment.parse_controls({})
    wire.send(Run(found, Request("r", "toy", **request), experiment, controls).go())
    return wire.sent


def done(messages: list[Message]) -> Done:
    assert isinstance(messages[-1], Done)
    return messages[-1]


def test_a_run_sends_started_points_and_facts() -> None:
    messages = go(toy(three, controls=()))

    assert [message.kind for message in messages] == ["started", "point", "point", "point", "done"]
    facts = done(messages).facts
    assert (facts["device"], facts["threads"], facts["cores"], facts["cut_short"]) == ("cpu", 1, 2, False)
    assert done(messages).points == 3
    assert {"compute_ratio", "memory_ratio", "quiet", "torch"} <= set(facts["more"])


def test_e01_auto_without_an_accelerator_says_why_in_started_and_facts() -> None:
    messages = go(toy(three))

    assert isinstance(messages[0], Started)
    assert messages[0].why_cpu == "torch 2.13.0 is built for the CPU only"
    assert done(messages).facts["more"]["why_cpu"] == messages[0].why_cpu


def test_the_first_run_on_a_card_says_that_it_takes_a_while() -> None:
    messages = go(toy(three), fake_torch("cuda"))

    assert isinstance(messages[0], Note)
    assert "20 s" in messages[0].text
    assert done(messages).facts["device"] == "cuda"
    assert done(messages).facts["device_name"] == "Fake H200"
    assert done(messages).facts["more"]["driver"] == "12.8"


def test_e03_a_card_that_is_nearly_full_is_left_alone() -> None:
    full = fake_torch("cuda", free_bytes=200_000_000)

    auto = go(toy(three), full)
    named = go(toy(three), full, device="cuda")

    assert done(auto).facts["device"] == "cpu"
    assert "only 200.0 MB free" in done(auto).facts["more"]["why_cpu"]
    assert isinstance(named[-1], Refused)
    assert "only 200.0 MB free" in named[-1].why


def test_what_does_not_fit_on_the_card_is_refused_with_both_sizes() -> None:
    messages = go(toy(three, about_bytes=lambda: 9 * 10**9), fake_torch("cuda"))

    assert isinstance(messages[-1], Refused)
    assert messages[-1].why == "It needs about 9.0 GB of memory; 8.0 GB are free."


def test_memory_that_runs_out_keeps_the_points_and_names_the_last() -> None:
    def measure(lab: Lab) -> Iterator[Point]:
        yield Point("time", 4096, 1e-3)
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    assert done(go(toy(measure))).facts["why_cut"] == "stopped after time at 4096: memory"


def test_memory_that_runs_out_at_once_says_so() -> None:
    def measure(lab: Lab) -> Iterator[Point]:
        raise MemoryError
        yield

    assert done(go(toy(measure))).facts["why_cut"] == "stopped before the first point: memory"


def test_a_measure_that_misses_what_the_deadline_cut_is_cut_short_not_crashed() -> None:
    def measure(lab: Lab) -> Iterator[Point]:
        found = dict(lab.rounds({1: lambda: None}))
        yield Point("time", 1, found[2].best_s)

    facts = done(go(toy(measure), seconds=0.0)).facts

    assert facts["cut_short"]
    assert facts["why_cut"] == "stopped before the first point: time limit of 0 s"


def test_a_crash_is_told_by_its_first_line_and_its_traceback_goes_to_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def measure(lab: Lab) -> Iterator[Point]:
        yield Point("time", 1, 1e-3)
        raise ValueError("first line\nsecond line")

    messages = go(toy(measure))

    assert isinstance(messages[-1], Failed)
    assert messages[-1].why == "ValueError: first line"
    assert "Traceback" in capsys.readouterr().err


def test_cancel_is_seen_after_the_next_point_and_closes_the_experiment() -> None:
    closed: list[bool] = []

    def measure(lab: Lab) -> Iterator[Point]:
        try:
            yield from (Point("time", x, 1e-3) for x in range(1, 100))
        finally:
            closed.append(True)

    messages = go(toy(measure), wire=Wire(cancel_after=2))

    assert [message.kind for message in messages] == ["started", "point", "point", "cancelled"]
    assert isinstance(messages[-1], Cancelled)
    assert closed == [True]


def test_the_loop_answers_wrong_words_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found, wire = bench()
    experiment = toy(three, controls=(Control("size", 32, "width", 16, 64),))
    monkeypatch.setattr(catalog, "experiment", lambda name: experiment)

    loop._answer(found, Request("1", "toy", controls={"size": 1}))
    loop._answer(found, Request("2", "toy", controls={"colour": "red"}))
    loop._answer(found, Cancel("3"))

    assert [(m.run, m.kind) for m in wire.sent] == [("1", "failed"), ("2", "failed")]


def test_prepare_imports_once_and_unknown_ones_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    found, wire = bench()

    loop._answer(found, Prepare(experiment="no-such"))
    monkeypatch.setattr(catalog, "experiment", lambda name: toy(three, prepares=("colorsys",)))
    loop._answer(found, Prepare(experiment="toy"))
    loop._answer(found, Prepare(experiment="toy"))

    assert [message.kind for message in wire.sent] == ["warm"]
    assert isinstance(wire.sent[0], Warm)
    assert wire.sent[0].what == "colorsys"


def test_foreign_experiments_are_refused_unless_asked_for_at_the_start() -> None:
    found, wire = bench()

    loop._answer(found, Request("1", f"{__file__}:TOY"))

    assert isinstance(wire.sent[0], Failed)
    assert wire.sent[0].failure == "usage"


def test_the_greeting_tells_versions_cores_and_why_there_is_no_accelerator() -> None:
    greeting = start.ready(fake_torch(), Allowance(2, ("a notice",)))

    assert (greeting.torch, greeting.cores, greeting.notices) == ("2.13.0", 2, ["a notice"])
    assert [device["type"] for device in greeting.devices] == ["cpu"]
    assert greeting.why_cpu


def test_an_address_space_limit_is_put_back() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)

    with limits.address_space(10**9):
        inside = resource.getrlimit(resource.RLIMIT_AS)
        with limits.address_space(10**12):
            assert resource.getrlimit(resource.RLIMIT_AS) == inside  # the tighter one holds

    assert inside[0] > 10**9
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_the_inlet_sorts_requests_and_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []

    def leave(code: int = 0) -> None:
        left.append(code)
        raise SystemExit

    monkeypatch.setattr(wires, "leave", leave)
    read, write = os.pipe()
    os.write(write, encode(Request("1", "kept")) + b"noise\n" + encode(Cancel("1")))
    os.close(write)
    inlet = wires.Inlet(read)

    with pytest.raises(SystemExit):
        inlet._read()
    os.close(read)

    assert left == [0]
    assert inlet.requests.get_nowait() == Request("1", "kept")
    assert inlet.cancelled("1")
    inlet.forget("1")
    assert not inlet.cancelled("1")


def test_an_outlet_without_a_reader_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []

    def leave(code: int = 0) -> None:
        left.append(code)
        raise SystemExit

    monkeypatch.setattr(wires, "leave", leave)
    read, write = os.pipe()
    os.close(read)

    with pytest.raises(SystemExit):
        wires.Outlet(write).send(Note("1", text="anyone?"))
    os.close(write)

    assert left == [0]
