"""The product all batch experiments time: (rows, width) @ (width, width), float32, into a buffer of its own.

Meets torch only as `lab.torch`; the formulas are pure. Standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from studyapp.core.points import Point, value

FLOAT_BYTES = 4
"""Bytes of a float32."""
TILED_ROWS = 64
"""Rows of random numbers that are repeated to fill a matrix: drawing 8192 x 8192 of them takes 0.5 s on a core."""


def layer_bytes(width: int, rows: int) -> int:
    """Return the bytes of a square weight, its rows and their answers, float32.

    >>> layer_bytes(512, 1)
    1052672
    """
    return FLOAT_BYTES * width * (width + 2 * rows)


def powers_of_two(first: int, last: int) -> tuple[int, ...]:
    """Return first, 2 first, 4 first ... up to last.

    >>> powers_of_two(1, 8)
    (1, 2, 4, 8)
    """
    found = [first]
    while found[-1] * 2 <= last:
        found.append(found[-1] * 2)
    return tuple(found)


def affordable(batches: Sequence[int], width: int, most: int, always: int) -> tuple[int, ...]:
    """Return the batches whose product stays under `most` multiply-adds; those up to `always` rows in any case.

    >>> affordable((1, 64, 4096), 4096, 2**30, 64)
    (1, 64)
    """
    return tuple(n for n in batches if n <= always or n * width * width <= most)


def flop(rows: float, width: int) -> float:
    """Return the arithmetic of one product: a multiply and an add per weight and row.

    >>> flop(1, 512)
    524288
    """
    return 2 * rows * width * width


def flop_per_s(point: Point, width: int) -> float:
    """Return the rate of arithmetic behind a time per product at `point.x` rows."""
    return flop(point.x, width) / value(point)


def trip_bytes(rows: float, width: int) -> float:
    """Return the bytes that cross the bus: the batch there, the answer back.

    >>> trip_bytes(1, 512)
    4096
    """
    return 2 * rows * width * FLOAT_BYTES


def flop_per_trip_byte(width: int) -> float:
    """Return the arithmetic per byte moved, width / 4 whatever the batch.

    >>> flop_per_trip_byte(512)
    128.0
    """
    return flop(1, width) / trip_bytes(1, width)


def matrix(torch: Any, rows: int, width: int, device: Any) -> Any:
    """Return (rows, width) random float32 numbers on a device; rows beyond 64 repeat."""
    tile = torch.randn(min(rows, TILED_ROWS), width, device=device)
    return tile.repeat(-(-rows // TILED_ROWS), 1)[:rows] if rows > TILED_ROWS else tile


def product(torch: Any, batch: Any, weight: Any) -> Callable[[], Any]:
    """Return the call that multiplies batch by weight, (rows, width), into its own buffer."""
    # a buffer of its own: fresh temporaries of some MB cost page faults, up to ten times the product
    return partial(torch.mm, batch, weight, out=torch.empty_like(batch))
