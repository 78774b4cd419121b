"""A card's memory as columns, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studyapp.core.leeches import FIRST_LAPSES
from studyapp.core.reviews import Memory, State
from studyapp.store.columns import MEMORY_FIELDS

WIDTH = len(MEMORY_FIELDS)
NOTHING: tuple[None, ...] = (None,) * WIDTH
COLUMNS = ", ".join(f"m.{name}" for name in MEMORY_FIELDS)
"""The memory columns of a table aliased `m`, for driver SQL."""


def memory_values(memory: Memory | None) -> tuple[Any, ...]:
    """Return a memory as plain values in column order, all None for no memory."""
    if memory is None:
        return NOTHING
    return (
        int(memory.state),
        memory.step,
        memory.stability,
        memory.difficulty,
        memory.due_day,
        memory.due_at_ms,
        memory.last_day,
        memory.reps,
        memory.lapses,
        memory.interval_days,
    )


def memory_from(values: Sequence[Any]) -> Memory | None:
    """Return the memory that the columns hold, None where they are empty."""
    if values[0] is None:
        return None
    return Memory(State(values[0]), *values[1:WIDTH])


def is_leech(memory: Memory) -> bool:
    """Return whether a card with this memory carries the leech mark.

    It is a function of the lapses alone, so that undo and replay bring it back exactly.
    """
    return memory.lapses >= FIRST_LAPSES
