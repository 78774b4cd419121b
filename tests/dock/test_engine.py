"""The dock's engine in this process: loops of several kinds driven to the end, and nothing of it left in torch."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from studyapp.experiments.worker.dock import batches, larger, waits
from studyapp.experiments.worker.dock.engine import Engine, Options
from studyapp.experiments.worker.dock.steps import Source

pytestmark = pytest.mark.torch


class EndedError(Exception):
    """All findings are made; a real engine ends the process here."""


class Heard:
    """Keeps what the engine says, and always says go."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []

    def send(self, kind: str, **fields: Any) -> None:
        self.said.append((kind, fields))

    def ask(self, **fields: Any) -> None:
        self.said.append(("ask", fields))

    def finding(self) -> dict[str, Any]:
        (found,) = [fields for kind, fields in self.said if kind == "finding"]
        return found


class Trial(Engine):
    def finish(self) -> NoReturn:
        raise EndedError


@pytest.fixture
def engine(torch: Any) -> Iterator[Trial]:
    found = Trial(Heard(), Options(steps=4), bytearray(1), torch=torch)
    found._watch()
    yield found
    found._watching.close()
    if found.lift is not None:
        found.lift()


class Net:
    """A model with its optimizer, and batches for it."""

    def __init__(self, torch: Any, engine: Trial, finding: str) -> None:
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.data = [torch.ones(4, 8) for _ in range(3)]
        engine.told(self.model, self.optimizer)
        engine.options = Options(steps=4, findings=(finding,))

    def train(self, engine: Trial, step: Callable[[Any], object], source: Any = None) -> None:
        """Loop as a script does, until all findings are made."""
        given = self.data if source is None else source
        with contextlib.suppress(EndedError):
            for batch in engine.drive(Source(lambda: iter(given), given), "hook"):
                step(batch)
            raise AssertionError("the loop ended by itself")

    def step(self, batch: Any) -> Any:
        """Take a plain step; return what the model said."""
        answer = self.model(batch)
        answer.float().sum().backward()
        self.optimizer.step()
        return answer


def heard(engine: Engine) -> dict[str, Any]:
    assert isinstance(engine.line, Heard)
    return engine.line.finding()


def test_a_step_that_only_gathers_gradients_is_not_taken_for_one_that_was_given_up(
    torch: Any, engine: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(larger, "MOST_DOUBLINGS", 4)
    net = Net(torch, engine, "batch")
    sizes: list[int] = []

    def gather(batch: Any) -> None:
        sizes.append(len(batch))
        net.model(batch).sum().backward()
        if len(sizes) % 3 == 0:
            net.optimizer.step()

    net.train(engine, gather)

    assert sizes[-4:] == [8, 16, 32, 64]
    assert heard(engine)["never"] is True


def test_a_step_whose_error_the_script_caught_is_seen(torch: Any, engine: Trial) -> None:
    net = Net(torch, engine, "batch")

    net.train(engine, lambda batch: None if len(batch) > 8 else net.step(batch))  # as after `except: continue`

    found = heard(engine)
    assert (found["value"], found["stage"], found["caught"]) == (16, "forward", True)


def test_an_error_that_is_not_memorys_is_told_as_the_scripts(torch: Any, engine: Trial) -> None:
    net = Net(torch, engine, "batch")

    with pytest.raises(RuntimeError) as raised:
        net.train(engine, lambda batch: net.step(batch.view(4, 8)))

    assert engine.failed(raised.value) is True
    found = heard(engine)
    assert found["outcome"] == "not_applicable"
    assert "does not take a larger batch" in found["why"]


def test_a_scripts_own_autocast_is_what_is_switched_off(torch: Any, engine: Trial) -> None:
    net = Net(torch, engine, "precision")
    kinds: list[Any] = []

    def cast(batch: Any) -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            kinds.append(net.step(batch).dtype)

    net.train(engine, cast)

    assert heard(engine)["own"] is True
    assert torch.float32 in kinds
    assert kinds[0] == kinds[-1] == torch.bfloat16
    assert torch.autocast.__enter__.__name__ == "__enter__"


def test_under_the_docks_autocast_the_script_still_gets_float32(torch: Any, engine: Trial) -> None:
    net = Net(torch, engine, "precision")
    inside: list[Any] = []
    net.model[0].register_forward_hook(lambda module, given, answer: inside.append(answer.dtype))

    outside: list[Any] = []
    net.train(engine, lambda batch: outside.append(net.step(batch).dtype))

    assert set(outside) == {torch.float32}
    assert {torch.float32, torch.bfloat16} == set(inside)
    assert "forward" not in vars(net.model)


def test_while_steps_are_timed_torch_is_as_it_was(torch: Any, engine: Trial) -> None:
    home: Any = importlib.import_module("torch.optim.optimizer")
    plain = torch.autograd.backward.__wrapped__
    net = Net(torch, engine, "data")
    seen: list[tuple[bool, bool]] = []

    def look(batch: Any) -> None:
        seen.append((torch.autograd.backward is plain, bool(home._global_optimizer_post_hooks)))
        net.step(batch)

    net.train(engine, look)

    assert seen.count((True, False)) == 8  # two turns of two steps, with the loader's batches and with one kept
    assert seen.count((False, True)) == len(seen) - 8


def test_counting_leaves_no_trace_in_tensors(torch: Any, engine: Trial) -> None:
    before = dict(vars(torch.Tensor))
    with waits.watching(engine) as register:
        float(torch.ones(()))
        torch.ones(3).tolist()

    assert dict(vars(torch.Tensor)) == before
    assert {what for _, _, what in register.places} == {"float()", ".tolist()"}


def test_a_wait_that_torchs_debug_mode_warns_of_is_placed_in_the_script(engine: Trial) -> None:
    modes: list[Any] = []
    cuda = SimpleNamespace(get_sync_debug_mode=lambda: 0, set_sync_debug_mode=modes.append)
    register = waits.Register(engine)

    with waits._debug_mode(SimpleNamespace(cuda=cuda), register):
        warnings.warn("called a synchronizing CUDA operation", stacklevel=1)
        warnings.warn("something else", stacklevel=1)

    ((path, _, what),) = register.places
    assert (path, what) == (__file__, "a wait for CUDA")
    assert modes == ["warn", 0]


def test_a_generator_that_runs_dry_is_told_instead_of_timed(torch: Any, engine: Trial) -> None:
    net = Net(torch, engine, "data")
    once = iter([torch.ones(4, 8) for _ in range(5)])

    net.train(engine, net.step, once)

    assert heard(engine)["why"] == "There were too few batches to time."


Pair = namedtuple("Pair", ["x", "y"])


def test_rows_are_repeated_in_whatever_a_batch_is_made_of(torch: Any) -> None:
    x, y, shared = torch.ones(4, 3), torch.arange(4), torch.eye(3)

    batch = {"pair": Pair(x, y), "names": ["a", "b", "c", "d"], "shared": shared, "more": [x, (y,)], "flag": True}
    grown = batches.repeated(torch, batch, 2)

    assert batches.rows(batch) == 4
    assert isinstance(grown["pair"], Pair)
    assert (grown["pair"].x.shape, grown["pair"].y.tolist()) == ((8, 3), [0, 1, 2, 3] * 2)
    assert grown["names"] == ["a", "b", "c", "d"] * 2
    assert grown["shared"] is shared
    assert (len(grown["more"][0]), len(grown["more"][1][0]), grown["flag"]) == (8, 8, True)


def test_a_batch_without_rows_is_not_repeated(torch: Any) -> None:
    assert batches.repeated(torch, {"seed": 7, "scale": torch.ones(())}, 2) is None


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (MemoryError(), True),
        (RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: ..."), True),
        (RuntimeError("shape '[4, 2]' is invalid for input of size 16"), False),
        (ValueError("Expected input batch_size (8) to match target batch_size (4)."), False),
    ],
)
def test_memory_that_is_refused_is_told_from_other_errors(torch: Any, error: Exception, memory: bool) -> None:
    assert larger.is_memory(torch, error) is memory
