"""Other programs on a card, against a fake driver library."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from studyapp.experiments.worker.neighbours import others

CARD = SimpleNamespace(get_device_properties=lambda index: SimpleNamespace(uuid="ab-cd"))
TORCH = SimpleNamespace(version=SimpleNamespace(cuda="12.8"), cuda=CARD)


class Driver:
    """Answers like NVML."""

    def __init__(self, programs: int, *, init: int = 0, card: int = 0, listing: int = 0) -> None:
        self.programs, self.init, self.card, self.listing = programs, init, card, listing
        self.asked: list[bytes] = []

    def nvmlInit_v2(self) -> int:
        return self.init

    def nvmlDeviceGetHandleByUUID(self, uuid: bytes, card: Any) -> int:
        self.asked.append(uuid)
        return self.card

    def nvmlDeviceGetComputeRunningProcesses_v2(self, card: Any, count: Any, found: Any) -> int:
        ctypes.cast(count, ctypes.POINTER(ctypes.c_uint))[0] = self.programs
        return self.listing


@pytest.mark.parametrize(("listed", "foreign"), [(0, 0), (1, 0), (2, 1), (5, 4)])
def test_e03_one_of_the_programs_listed_is_this_one(listed: int, foreign: int) -> None:
    driver = Driver(listed)

    assert others(TORCH, "cuda", driver) == foreign
    assert driver.asked == [b"GPU-ab-cd"]


@pytest.mark.parametrize("trouble", [{"init": 9}, {"card": 6}, {"listing": 3}])
def test_e03_a_driver_that_does_not_tell_counts_none(trouble: dict[str, int]) -> None:
    assert others(TORCH, "cuda", Driver(7, **trouble)) == 0


def test_only_nvidia_cards_are_asked() -> None:
    rocm = SimpleNamespace(version=SimpleNamespace(cuda=None), cuda=CARD)

    assert others(TORCH, "cpu", Driver(7)) == 0
    assert others(TORCH, "mps", Driver(7)) == 0
    assert others(rocm, "cuda", Driver(7)) == 0


def test_without_the_library_nobody_is_counted() -> None:
    assert others(TORCH, "cuda", library=object()) == 0
