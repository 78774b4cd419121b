"""A batch, whatever it is made of: how many rows it has, and the same with more of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any


def rows(batch: Any) -> int | None:
    """Return the length that most tensors in a batch begin with, or None where there is none."""
    found = Counter(_lengths(batch))
    return found.most_common(1)[0][0] if found else None


def repeated(torch: Any, batch: Any, times: int) -> Any:
    """Return the batch with its rows repeated so many times, or None where it cannot be done.

    Tensors that begin with the batch's length grow, and so do lists and tuples of that length that hold no tensors
    of it; all else is handed on as it is.
    """
    length = rows(batch)
    return None if length is None else _grown(torch, batch, times, length)


def _lengths(part: Any) -> Iterator[int]:
    if hasattr(part, "untyped_storage") and hasattr(part, "shape"):
        if len(part.shape) > 0:
            yield int(part.shape[0])
    elif isinstance(part, Mapping):
        for entry in part.values():
            yield from _lengths(entry)
    elif isinstance(part, (list, tuple)):
        for entry in part:
            yield from _lengths(entry)


def _grown(torch: Any, part: Any, times: int, length: int) -> Any:
    if isinstance(part, torch.Tensor):
        fits = part.dim() > 0 and part.shape[0] == length
        return part.repeat(times, *[1] * (part.dim() - 1)) if fits else part
    if isinstance(part, Mapping):
        entries = {key: _grown(torch, entry, times, length) for key, entry in part.items()}
        try:
            return type(part)(entries)  # type: ignore[call-arg]
        except TypeError:
            return entries
    if isinstance(part, (list, tuple)):
        if len(part) == length and not any(True for _ in _lengths(part)):
            return part * times
        grown = [_grown(torch, entry, times, length) for entry in part]
        return type(part)(*grown) if hasattr(part, "_fields") else type(part)(grown)
    return part
