"""Sixteen-bit numbers where the device cannot compute with them: every value and gradient rounded on its way.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from typing import Any


def rounding(torch: Any) -> Any:
    """Return `round(tensor, dtype)`: float32 in and out, held in `dtype` between, and its gradient likewise.

    It stores like the device and computes in float32: a CPU multiplies float16 44 to 470 times slower (512 and
    2048 cubed, two cores of an AMD EPYC, torch 2.13). It is a stand-in, and has to be called one.
    """

    class Round(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, tensor: Any, dtype: Any) -> Any:
            ctx.dtype = dtype
            return tensor.to(dtype).float()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient.to(ctx.dtype).float(), None

    return Round.apply
