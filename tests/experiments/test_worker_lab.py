"""The clock of all timing experiments, with a fake torch and a fake clock."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.experiments.worker.lab import EXTRA_ROUNDS, RealLab, Stopped, settled, summarise


class Machine:
    """A clock and a device whose kernels return at once and finish later."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.busy_until_s = 0.0
        self.threads = 1
        accelerator = SimpleNamespace(synchronize=self.synchronize)
        self.torch = SimpleNamespace(accelerator=accelerator, set_num_threads=self.set_threads)

    def clock(self) -> float:
        return self.now_s

    def synchronize(self, device: Any) -> None:
        self.now_s = max(self.now_s, self.busy_until_s)

    def set_threads(self, count: int) -> None:
        self.threads = count

    def kernel(self, seconds: float, launch_s: float = 2e-6) -> Callable[[], None]:
        def launch() -> None:
            self.now_s += launch_s
            self.busy_until_s = max(self.busy_until_s, self.now_s) + seconds

        return launch

    def call(self, *seconds: float) -> Callable[[], None]:
        """Return a CPU call that takes each of these times in turn, the last one for ever."""
        waiting = list(seconds)

        def work() -> None:
            self.now_s += waiting.pop(0) if len(waiting) > 1 else waiting[0]

        return work

    def lab(self, device: str = "cpu", **more: Any) -> RealLab:
        return RealLab(self.torch, SimpleNamespace(type=device), clock=self.clock, **more)


def test_e08_a_device_whose_kernels_finish_later_is_given_its_true_time() -> None:
    machine = Machine()
    lab = machine.lab("cuda")

    *_, (_, timing) = lab.rounds({"mm": machine.kernel(50e-6)})

    assert timing.best_s == pytest.approx(50e-6, rel=0.05)
    assert timing.median_s == pytest.approx(50e-6, rel=0.05)


def test_e08_without_synchronising_the_same_device_would_read_its_launches() -> None:
    machine = Machine()
    lab = machine.lab("cpu")  # a lab that does not know that it must wait

    *_, (_, timing) = lab.rounds({"mm": machine.kernel(50e-6)})

    assert timing.best_s == pytest.approx(2e-6, rel=0.05)


def test_e08_the_first_call_is_thrown_away() -> None:
    machine = Machine()

    *_, (_, timing) = machine.lab().rounds({1: machine.call(3.0, 2e-3)})

    assert timing.upper_s == pytest.approx(2e-3)


def test_a_sample_lasts_at_least_a_millisecond() -> None:
    machine = Machine()
    calls: list[float] = []
    work = machine.call(7e-6)

    def counted() -> None:
        calls.append(machine.now_s)
        work()

    *_, (_, timing) = machine.lab().rounds({1: counted}, rounds=1)

    assert timing.best_s == pytest.approx(7e-6)
    assert len(calls) > 2 * 1e-3 / 7e-6  # the last step of the calibration, and the sample


def test_work_that_takes_no_time_at_all_ends() -> None:
    machine = Machine()

    *_, (_, timing) = machine.lab(seconds=1.0).rounds({1: lambda: None}, rounds=2)

    assert timing.best_s == 0.0


def test_every_key_is_timed_once_per_round_and_each_sample_is_handed_out() -> None:
    machine = Machine()
    works = {key: machine.call(1e-3) for key in "abc"}

    found = list(machine.lab().rounds(works, rounds=4))

    assert [key for key, _ in found] == list("abc") * 4
    assert [timing.repeats for _, timing in found] == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3


def test_prepare_is_called_before_each_sample_of_its_key_outside_the_clock() -> None:
    machine = Machine()
    heard: list[str] = []

    def prepare(key: str) -> None:
        heard.append(key)
        machine.now_s += 5.0

    found = list(
        machine.lab().rounds({"a": machine.call(1e-3), "b": machine.call(2e-3)}, rounds=2, prepare=prepare)
    )

    assert heard == ["a", "b", "a", "b"]
    assert [timing.best_s for _, timing in found] == pytest.approx([1e-3, 2e-3, 1e-3, 2e-3])


def test_only_unsettled_keys_go_on_and_stop_when_two_best_agree() -> None:
    machine = Machine()
    # thrown away, calibration, then samples: two best of the first three differ by more than 5 %
    works = {"calm": machine.call(1e-3), "wild": machine.call(9.0, 9.0, 2e-3, 1.5e-3, 1e-3, 3e-3, 1.01e-3, 9.0)}

    found = [key for key, _ in machine.lab().rounds(works, rounds=3)]

    assert found.count("calm") == 3
    assert found.count("wild") == 5


def test_a_key_that_never_settles_ends_after_five_times_the_rounds() -> None:
    machine = Machine()
    halving = (2e3 * 0.8**n for n in range(1000))

    def work() -> None:
        machine.now_s += next(halving)

    found = list(machine.lab().rounds({1: work}, rounds=2))

    assert len(found) == 2 * EXTRA_ROUNDS
    assert not found[-1][1].settled


def test_rounds_end_at_the_deadline_and_say_that_they_were_cut_short() -> None:
    machine = Machine()
    lab = machine.lab(seconds=10.0)

    found = list(lab.rounds({1: machine.call(1.0)}, rounds=100))

    assert len(found) == 8  # one call thrown away, one for calibration
    assert lab.cut_short
    assert lab.left_s() <= 0


def test_a_deadline_while_settling_is_not_cut_short() -> None:
    machine = Machine()
    lab = machine.lab(seconds=10.0)

    list(lab.rounds({1: machine.call(1, 1, 2, 1, 2, 1, 1.5, 1)}, rounds=1))

    assert not lab.cut_short


def test_cancel_inside_rounds_raises_what_no_experiment_catches() -> None:
    machine = Machine()
    answers = iter([False] * 4 + [True])  # once more after the call that is thrown away
    samples = machine.lab(stop=lambda: next(answers)).rounds({1: machine.call(1e-3)})

    assert [next(samples)[1].repeats for _ in range(3)] == [1, 2, 3]
    with pytest.raises(Stopped):
        next(samples)
    assert not issubclass(Stopped, Exception)


def test_threads_are_put_back_when_the_lab_closes() -> None:
    machine = Machine()
    lab = machine.lab()

    lab.threads(8)
    assert machine.threads == 8
    lab.close()

    assert machine.threads == 1


def test_the_cap_on_a_card_is_what_is_reserved_plus_the_extra_and_is_lifted_again() -> None:
    machine = Machine()
    fractions: list[float] = []
    machine.torch.cuda = SimpleNamespace(
        set_per_process_memory_fraction=fractions.append,
        mem_get_info=lambda: (6_000, 8_000),
        memory_reserved=lambda: 1_000,
        empty_cache=lambda: None,
    )

    with machine.lab("cuda").memory_cap(3_000):
        assert fractions == [0.5]

    assert fractions == [0.5, 1.0]


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=50))
def test_quartiles_are_ordered_and_within_the_samples(samples: list[float]) -> None:
    timing = summarise(samples)

    assert min(samples) == timing.best_s <= timing.lower_s <= timing.median_s <= timing.upper_s <= max(samples)
    assert timing.repeats == len(samples)


def test_quartiles_by_hand() -> None:
    timing = summarise([4.0, 1.0, 3.0, 2.0, 5.0])

    assert (timing.lower_s, timing.median_s, timing.upper_s) == (2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    ("samples", "agree"), [([1.0], False), ([1.0, 1.05], True), ([1.0, 1.06], False), ([9.0, 1.06, 1.01], True)]
)
def test_settled_means_the_two_best_agree_within_five_percent(samples: list[float], agree: bool) -> None:
    assert settled(samples) is agree
