"""Which device is chosen, against a table of torch's answers."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from studyapp.experiments.worker.devices import NoDeviceError, choose, cpu_name, free_on, seen


class Ones:
    """A matrix of ones: its product with itself sums to side cubed."""

    def __init__(self, total: float) -> None:
        self.total = total

    def __matmul__(self, other: Ones) -> Ones:
        return self

    def sum(self) -> Ones:
        return self

    def item(self) -> float:
        return self.total


def fake_torch(
    kind: str = "",
    *,
    built: str = "12.8",
    warning: str = "",
    kernel: Exception | None = None,
    total: float = 4096.0,
) -> Any:
    def is_available() -> bool:
        if warning:
            warnings.warn(warning, stacklevel=2)
        return bool(kind)

    def ones(*shape: int, device: str) -> Ones:
        if kernel is not None:
            raise kernel
        return Ones(total)

    accelerator = SimpleNamespace(
        is_available=is_available,
        current_accelerator=lambda: SimpleNamespace(type=kind),
        device_count=lambda: 1,
    )
    card = SimpleNamespace(
        get_device_name=lambda: "Fake H200", mem_get_info=lambda: (3_000_000_000, 8_000_000_000)
    )
    return SimpleNamespace(
        __version__="2.13.0",
        version=SimpleNamespace(cuda=built or None, hip=None, xpu=None),
        accelerator=accelerator,
        cuda=card,
        mps=SimpleNamespace(),
        ones=ones,
    )


def test_an_accelerator_that_computes_is_chosen() -> None:
    choice = choose(fake_torch("cuda"), "auto", {})

    assert (choice.type, choice.name, choice.why_cpu) == ("cuda", "Fake H200", "")


def test_an_accelerator_without_a_name_goes_by_its_type() -> None:
    assert choose(fake_torch("mps"), "auto", {}).name == "mps"


NO_IMAGE = RuntimeError(
    "CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors ..."
)
OLD = "The NVIDIA driver on your system is too old (found version 11040).\nPlease update your GPU driver"
CPU_CASES: list[tuple[str, Any, dict[str, str], str]] = [
    ("cpu build", fake_torch(built=""), {}, "torch 2.13.0 is built for the CPU only"),
    ("no driver", fake_torch(), {}, "finds no accelerator; is its driver installed?"),
    ("old driver", fake_torch(warning=OLD), {}, "driver on your system is too old (found version 11040)"),
    ("first kernel fails", fake_torch("cuda", kernel=NO_IMAGE), {}, "no kernel image is available"),
    (
        "exclusive mode",
        fake_torch("cuda", kernel=RuntimeError("all CUDA-capable devices are busy")),
        {},
        "are busy",
    ),
    ("wrong sums", fake_torch("cuda", total=0.0), {}, "computes wrongly"),
    *(
        (f"CUDA_VISIBLE_DEVICES={value!r}", fake_torch(), {"CUDA_VISIBLE_DEVICES": value}, f"={value!r} leaves no")
        for value in ("", "-1", "99", "abc", "0,0", "GPU-deadbeef", "MIG-deadbeef")
    ),
]


@pytest.mark.parametrize(("torch", "environ", "words"), [c[1:] for c in CPU_CASES], ids=[c[0] for c in CPU_CASES])
def test_e01_e02_without_a_proven_accelerator_the_cpu_is_chosen_with_one_line_of_why(
    torch: Any, environ: dict[str, str], words: str
) -> None:
    choice = choose(torch, "auto", environ)

    assert choice.type == "cpu"
    assert words in choice.why_cpu
    assert "\n" not in choice.why_cpu


def test_e01_an_accelerator_asked_for_by_name_is_refused_with_the_same_words() -> None:
    with pytest.raises(NoDeviceError, match="no kernel image"):
        choose(fake_torch("cuda", kernel=NO_IMAGE), "cuda", {})
    with pytest.raises(NoDeviceError, match="this machine has mps, not cuda"):
        choose(fake_torch("mps"), "cuda", {})


def test_a_cpu_asked_for_touches_no_accelerator() -> None:
    choice = choose(fake_torch("cuda", kernel=NO_IMAGE), "cpu", {})

    assert (choice.type, choice.why_cpu) == ("cpu", "")


def test_looking_runs_no_kernel() -> None:
    devices, why = seen(fake_torch("cuda", kernel=AssertionError("touched")), {})

    assert [device["type"] for device in devices] == ["cpu", "cuda"]
    assert why == ""


def test_e01_a_torch_older_than_accelerator_is_a_cpu() -> None:
    old = SimpleNamespace(__version__="2.4.0", version=SimpleNamespace(cuda=None))

    assert choose(old, "auto", {}).type == "cpu"


def test_free_memory_is_asked_of_whoever_knows() -> None:
    assert free_on(fake_torch("cuda"), "cuda") == 3_000_000_000
    assert free_on(fake_torch("mps"), "mps") is None


def test_the_cpu_is_named_by_its_model_where_that_is_told(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: AMD EPYC 9554\nprocessor\t: 1\n", encoding="utf-8")

    assert cpu_name(info) == "AMD EPYC 9554"
    assert cpu_name(tmp_path / "missing") != ""
