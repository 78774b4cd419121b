"""What a claim file is made of: an `Experiment` with its controls, its measuring and its judging.

Standard library only, Python 3.10+. `measure(lab, **controls)` is a generator of points and the only part that
meets torch, as `lab.torch`; `judge(points, facts)` is pure and sees exactly the points that are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from studyapp.core.errors import ControlError
from studyapp.core.figures import Mark, Plot
from studyapp.core.points import Point
from studyapp.core.roofline import Load
from studyapp.core.verdicts import Facts, Judge

Value = int | float | str


@dataclass(frozen=True)
class Timing:
    """The summary of one entry of `Lab.rounds`, in seconds per call."""

    best_s: float
    median_s: float
    lower_s: float
    """Lower quartile."""
    upper_s: float
    """Upper quartile."""
    repeats: int
    settled: bool

    def point(self, series: str, x: float, *, scale: float = 1.0, accelerated: bool = False) -> Point:
        """Return the point to draw: best and upper quartile on a CPU, median and quartiles on an accelerator.

        Args:
            series: Series id.
            x: Position on the x axis.
            scale: Factor from seconds per call to the y axis' unit.
            accelerated: Whether an accelerator was timed.
        """
        middle, low = (self.median_s, self.lower_s) if accelerated else (self.best_s, self.best_s)
        return Point(series, x, middle * scale, low * scale, self.upper_s * scale, self.repeats, self.settled)


class Rank(Protocol):
    """What one process of several may use; the worker's real one lives in `worker/ranks.py`."""

    torch: Any
    """The torch module; `torch.distributed` is joined."""
    rank: int
    """This process's number, from 0."""
    world: int
    """How many there are."""
    device: Any
    """torch.device of this process: the CPU, or an accelerator of its own."""

    def sync(self) -> None:
        """Wait until the device has finished everything queued."""
        ...


class Lab(Protocol):
    """What an experiment may use. The worker's real one lives in `worker/lab.py`."""

    torch: Any
    """The torch module."""
    device: Any
    """torch.device to measure on."""
    cores: int
    """Cores this process is allowed."""
    accelerated: bool
    """Whether `device` is an accelerator."""
    history: str
    """The learner's log, as `core.optimising.pack` writes it; empty where none was handed over."""

    @property
    def cards(self) -> int:
        """Return how many accelerators of the device's kind are visible; 0 on a CPU."""
        ...

    def machine(self) -> Mapping[str, float]:
        """Return what is counted of this machine: cores, quotas, memory (bytes), the device's."""
        ...

    def left_s(self) -> float:
        """Return the seconds left before the run's deadline."""
        ...

    def sync(self) -> None:
        """Wait until the device has finished everything queued."""
        ...

    def threads(self, count: int) -> None:
        """Set torch's intra-op threads; the lab puts the default (1) back after the run."""
        ...

    def rounds(
        self,
        works: Mapping[Any, Callable[[], Any]],
        *,
        rounds: int = 9,
        sample_s: float = 1e-3,
        prepare: Callable[[Any], object] | None = None,
    ) -> Iterator[tuple[Any, Timing]]:
        """Time several callables in turn, round by round; yield (key, timing so far) after every sample.

        Each sample is a block of calls between two `sync()`s, so an accelerator's calls are queued behind one
        another; a callable that ends in `sync()` itself measures the time to an answer instead.

        Args:
            works: What to time, by key; the order is the order within a round.
            rounds: Samples per key, more for those that do not settle, fewer at the deadline.
            sample_s: Seconds one sample should take.
            prepare: Called with the key before each of its samples and its warm-up, outside the clock (to set
                the threads, for instance).
        """
        ...

    def ranks(self, work: Callable[..., Iterator[Point]], count: int, **given: Value) -> Iterator[Point]:
        """Run `work(rank, **given)` in several processes that can talk; yield the points rank 0 yields.

        On accelerators where there are `count` of them, one each, under torchrun; else on the CPU over gloo.

        Args:
            work: A generator function at the top of its module, taking a `Rank` first.
            count: Processes; the learner's `--nproc` takes its place.
            given: Further arguments.
        """
        ...

    def memory_cap(self, extra_bytes: int) -> Any:
        """Return a context manager under which at most `extra_bytes` more can be allocated."""
        ...


def ran_out_of_memory(error: BaseException) -> bool:
    """Return whether an exception means that memory was refused, on any device.

    A CPU allocation under a limit raises a plain RuntimeError; accelerators raise torch.OutOfMemoryError, which
    is told by name here so that no claim imports torch. Drop the exception before trying a smaller size: it holds
    the frames that hold the tensors.
    """
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    words = str(error).lower()
    return isinstance(error, RuntimeError) and any(
        sign in words for sign in ("can't allocate memory", "out of memory", "not enough memory", "std::bad_alloc")
    )


@dataclass(frozen=True)
class Control:
    """A parameter the learner may change."""

    name: str
    default: Value
    help: str
    """One clause: what it is, with its unit."""
    low: float | None = None
    high: float | None = None
    choices: tuple[Value, ...] = ()
    """The allowed values of a word control."""
    fresh: tuple[Value, ...] = ()
    """Sensible values to draw from when a card is shown anew; empty = always the default."""
    step: str = "double"
    """How arrow keys change it: "double", "add" or "next" (choices)."""

    def parse(self, raw: Value | str) -> Value:
        """Return the value in the control's own type.

        Raises:
            ControlError: If it is not a number, not whole, out of range or not a choice; in words.
        """
        if self.choices:
            for choice in self.choices:
                if str(choice) == str(raw):
                    return choice
            known = ", ".join(str(c) for c in self.choices)
            raise ControlError(f"{self.name} must be one of {known}, not {raw!r}.")
        return self._number(raw)

    def _number(self, raw: Value | str) -> Value:
        whole = isinstance(self.default, int)
        try:
            number = float(raw)
        except (TypeError, ValueError):
            kind = "a whole number" if whole else "a number"
            raise ControlError(f"{self.name} must be {kind}, not {raw!r}.") from None
        if whole and not (math.isfinite(number) and number == int(number)):
            raise ControlError(f"{self.name} must be a whole number, not {raw!r}.")
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if not low <= number <= high:  # nan fails as well
            raise ControlError(f"{self.name} must be from {self.low:g} to {self.high:g}, not {raw!s}.")
        return int(number) if whole else number


def _no_marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    return ()


Loads = Callable[[Sequence[Point], Facts], Iterable[Load]]
"""Given a run's points and its facts: what each point costs, where that can be told (see `core.roofline.Load`)."""


def _no_loads(points: Sequence[Point], facts: Facts) -> tuple[Load, ...]:
    return ()


def _hardly_any(**controls: Any) -> int:
    return 32 * 2**20


@dataclass(frozen=True)
class Experiment:
    """One claim made measurable."""

    id: str
    claim: str
    """The lesson's statement, as a sentence."""
    question: str
    """What the learner predicts, as a question."""
    unit: str
    """Unit of the predicted number: "x" (times), "s", "B", "rows", "%", ..."""
    plot: Plot
    measure: Callable[..., Iterator[Point]]
    """measure(lab, **controls)."""
    judge: Judge
    controls: tuple[Control, ...] = ()
    needs: frozenset[str] = frozenset()
    """Among "accelerator", "memory cap", "processes", "two cores", "bfloat16"."""
    joined: bool = False
    """Whether its processes talk to each other (`Lab.ranks`), so that torchrun can start them across hosts."""
    seconds: float = 8.0
    """Time limit of one run."""
    usual_s: float = 1.0
    """What a run usually takes on two CPU cores."""
    about_bytes: Callable[..., int] = _hardly_any
    """about_bytes(**controls): memory it will use, for refusing before allocating."""
    marks: Callable[[list[Point], Facts], tuple[Mark, ...]] = _no_marks
    loads: Loads = _no_loads
    """States FLOP, bytes and calls of the points, from which the roofline of a passport predicts them."""
    sibling: str | None = None
    """The experiment that shows the same law where this one cannot be tested."""
    timed: bool = True
    """Whether the verdict rests on timings (a busy machine spoils them) rather than counts."""
    predicts: tuple[float, float] = (1.0, 1000.0)
    """Range of the prediction slider, in `unit`; also its scale's ends."""
    grid: str = "log"
    """Prediction slider's steps: "log2" (powers of two), "log" (1-2-5) or "linear"."""
    can_never: bool = False
    """Whether "never" is a possible answer."""
    ablation: str = ""
    """Why-question: which control setting removes the named cause, in words (empty = none yet)."""
    ablation_controls: Mapping[str, Value] = field(default_factory=dict)
    """The controls that remove the named cause."""
    setup: str = ""
    """One sentence under the question: what exactly is run."""
    wants_history: bool = False
    """Whether it trains on the learner's log, which the program then hands over as `lab.history`."""
    prepares: tuple[str, ...] = ()
    """Modules worth importing before the clock starts, e.g. "torch._dynamo" (the first optimizer, meta tensor or
    profiler use imports it: 0.75 to 0.95 s on a local disk, far more on a network home)."""

    def control(self, name: str) -> Control:
        """Return a control by name.

        Raises:
            ControlError: If there is none of that name; known names are listed.
        """
        for control in self.controls:
            if control.name == name:
                return control
        known = ", ".join(c.name for c in self.controls) or "none"
        raise ControlError(f"{self.id} has no control {name!r}; it has: {known}.")

    def parse_controls(self, raw: Mapping[str, Any]) -> dict[str, Value]:
        """Return every control's value: the given ones checked, the others at their default.

        Raises:
            ControlError: For an unknown name or a value out of range.
        """
        given = {name: self.control(name).parse(value) for name, value in raw.items()}
        return {control.name: given.get(control.name, control.default) for control in self.controls}
