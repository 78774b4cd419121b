"""Names and numbers of the schema for plain SQL; a test holds them against the tables.

Building the tables brings SQLAlchemy, which a sitting may do without.
"""

from __future__ import annotations

MEMORY_FIELDS = (
    "state",
    "step",
    "stability",
    "difficulty",
    "due_day",
    "due_at_ms",
    "last_day",
    "reps",
    "lapses",
    "interval_days",
)
"""Columns of one `Memory`, in the order of its dataclass; `before_` and `after_` columns carry the same names."""

AWAY, HIDDEN = 20_000_000, 30_000_000
"""`memory.away_until` of a card that is suspended, and of one that is hidden or not here: beyond any study day."""

CARD_FIELDS = (
    "id",
    "module",
    "section",
    "ordinal",
    "kind",
    "prompt",
    "answer",
    "key_points",
    "experiments",
    "tags",
    "path",
    "line",
    "text_hash",
    "explicit_id",
    "hidden",
    "suspended",
    "buried_until_day",
)
REVIEW_FIELDS = (
    "uid",
    "device",
    "counter",
    "card",
    "rating",
    "kind",
    "at_ms",
    "ordered_ms",
    "offset_min",
    "zone",
    "study_day",
    "elapsed_days",
    *(f"before_{name}" for name in MEMORY_FIELDS),
    *(f"after_{name}" for name in MEMORY_FIELDS),
    "retrievability",
    "duration_ms",
    "showing",
    "run",
    "voids",
    "parameters",
    "text_hash",
    "clock_ahead",
    "action",
)
