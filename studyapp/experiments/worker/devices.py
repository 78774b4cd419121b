"""Which device to measure on: asked for or best, proven by a tiny kernel, with one line of why not.

torch is handed in, so that tests can hand in its answers. Nothing here touches an accelerator before `choose`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIDE = 16
"""Rows and columns of the proving product: its sum is exactly SIDE cubed."""


class NoDeviceError(Exception):
    """The device asked for by name cannot be used; the message is one line of why."""


@dataclass(frozen=True)
class Choice:
    """A proven device."""

    type: str
    name: str
    why_cpu: str = ""
    """Why "auto" chose the CPU; empty when an accelerator was chosen or a CPU was asked for."""


def seen(torch: Any, environ: Mapping[str, str] = os.environ) -> tuple[list[dict[str, Any]], str]:
    """Return the devices torch reports, and one line of why there is no accelerator; no device is touched."""
    devices: list[dict[str, Any]] = [{"type": "cpu", "count": 1, "name": cpu_name()}]
    kind, why = _accelerator(torch, environ)
    if kind:
        devices.append({"type": kind, "count": int(torch.accelerator.device_count()), "name": ""})
    return devices, why


def choose(torch: Any, wanted: str, environ: Mapping[str, str] = os.environ) -> Choice:
    """Return the device for a run.

    Args:
        torch: The torch module.
        wanted: "auto", or a device type.
        environ: The environment, read for CUDA_VISIBLE_DEVICES only to explain.

    Raises:
        NoDeviceError: If a device was asked for by name and cannot be used.
    """
    if wanted == "cpu":
        return Choice("cpu", cpu_name())
    kind, why = _accelerator(torch, environ)
    if kind and wanted in ("auto", kind):
        why = _prove(torch, kind)
        if not why:
            return Choice(kind, device_name(torch, kind))
    elif kind:
        why = f"this machine has {kind}, not {wanted}"
    if wanted != "auto":
        raise NoDeviceError(f"{wanted} cannot be used: {why}.")
    return Choice("cpu", cpu_name(), why)


def cpu_name(path: Path = Path("/proc/cpuinfo")) -> str:
    """Return the CPU's model name, or the architecture where it is not told."""
    try:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith(("model name", "cpu model")):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return os.uname().machine if hasattr(os, "uname") else "CPU"


def device_name(torch: Any, kind: str) -> str:
    """Return the accelerator's own name, or its type where it has none."""
    module = getattr(torch, kind, None)
    try:
        return str(module.get_device_name()) if module is not None else kind
    except Exception:  # mps has none; a name is never worth a run
        return kind


def free_on(torch: Any, kind: str) -> int | None:
    """Return the free bytes on an accelerator, None where it does not tell."""
    for home, name in ((getattr(torch, kind, None), "mem_get_info"), (torch.accelerator, "get_memory_info")):
        try:
            return int(getattr(home, name)()[0])
        except Exception:  # noqa: PERF203 - each back end misses another one of these
            continue
    return None


def _accelerator(torch: Any, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return (type, "") of the accelerator torch sees, or ("", why)."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            home = getattr(torch, "accelerator", None)
            if home is not None and home.is_available():
                return str(home.current_accelerator().type), ""
        except Exception as error:
            return "", one_line(error)
    return "", _why_none(torch, environ, [str(w.message) for w in heard])


def _why_none(torch: Any, environ: Mapping[str, str], heard: list[str]) -> str:
    if heard:
        return one_line(heard[0])
    version = getattr(torch, "version", None)
    if not any(getattr(version, name, None) for name in ("cuda", "hip", "xpu")):
        return f"torch {torch.__version__} is built for the CPU only"
    if "CUDA_VISIBLE_DEVICES" in environ:
        return f"CUDA_VISIBLE_DEVICES={environ['CUDA_VISIBLE_DEVICES']!r} leaves no device visible"
    return f"torch {torch.__version__} finds no accelerator; is its driver installed?"


def _prove(torch: Any, kind: str) -> str:
    """Run a tiny kernel; return "" or one line of why it failed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ones = torch.ones(SIDE, SIDE, device=kind)
            total = float((ones @ ones).sum().item())
        except Exception as error:
            return f"{kind}: {one_line(error)}"
    return "" if total == SIDE**3 else f"{kind} computes wrongly: {total:g} instead of {SIDE**3}"


def one_line(error: object) -> str:
    """Return the first line of an error's words, shortened, without its final stop."""
    words = str(error).strip() or type(error).__name__
    line = words.splitlines()[0].strip().rstrip(".")
    return line if len(line) <= 160 else line[:159] + "…"
