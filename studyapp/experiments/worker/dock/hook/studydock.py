"""The hook that a training script may name: `for batch in steps(loader, model=model, optimizer=optimizer): ...`.

`studyapp trial` puts this file on the script's path. Where it is not, two lines stand for it:

    except ImportError:
        def steps(batches, **_): return batches
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

_drive: Callable[..., Iterator[Any]] | None = None
"""Set by the dock in the process it watches; None everywhere else, such as in a loader's processes."""


def steps(batches: Iterable[Any], *, model: Any = None, optimizer: Any = None) -> Iterable[Any]:
    """Return the batches of a training loop, one for each step; in the dock it decides what they are.

    Args:
        batches: What the loop would go over: a DataLoader, a list, a generator.
        model: The module that is trained, for what concerns memory and precision.
        optimizer: Its optimizer.
    """
    return batches if _drive is None else _drive(batches, model=model, optimizer=optimizer)
