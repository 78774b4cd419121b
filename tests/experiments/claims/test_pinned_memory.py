from __future__ import annotations

from typing import Any

from studyapp.experiments.pinned import can_pin


class Tensor:
    def __init__(self, refusal: Exception | None) -> None:
        self.refusal = refusal

    def __getitem__(self, part: slice) -> Tensor:
        return self

    def pin_memory(self) -> Any:
        if self.refusal:
            raise self.refusal
        return self


def test_a_machine_that_pins_can_pin_whatever_the_shape() -> None:
    assert can_pin(Tensor(None))


def test_a_build_without_an_accelerator_refuses_and_is_believed() -> None:
    assert not can_pin(Tensor(RuntimeError("Cannot access accelerator device when none is available.")))
    assert not can_pin(Tensor(NotImplementedError("pin_memory")))
