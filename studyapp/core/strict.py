"""Values as strict JSON takes them: the one thing it lacks is a number that is not finite."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def strict(value: Any) -> Any:
    """Return a value in which nan and infinities are None, mappings have text for keys, and tuples are lists.

    >>> strict({1: float("nan"), "of": (0.5, float("inf"))})
    {'1': None, 'of': [0.5, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    return [strict(item) for item in value] if isinstance(value, (list, tuple)) else value
