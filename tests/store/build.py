"""Values for store tests: valid by default, override what matters."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from studyapp.core.cards import Card, Module, Section
from studyapp.core.days import Moment
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.store.database import ModuleChange, Store

ROOT = Path(__file__).parents[2]
NOW_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z
DAY = 739_617  # 2026-01-01
DAY_MS = 86_400_000
_numbers = itertools.count()


def a_card(name: str = "", **changes: Any) -> Card:
    values: dict[str, Any] = {
        "id": name,
        "kind": "basic",
        "prompt": f"What is {name}?",
        "answer": f"It is {name}.",
        "explicit_id": bool(name),
    }
    return Card(**{**values, **changes})


def a_module(
    *cards: Card, name: str = "gpu", path: str | None = None, sections: tuple[Section, ...] = ()
) -> Module:
    return Module(name, "GPU", "About GPUs", sections, cards, f"{name}.md" if path is None else path)


def save(store: Store, *cards: Card, digest: str | None = None, **module: Any) -> ModuleChange:
    source_hash = f"hash {next(_numbers)}" if digest is None else digest
    return store.save_module(a_module(*cards, **module), source_hash=source_hash, now_ms=NOW_MS)


def with_cards(store: Store, *ids: str) -> None:
    save(store, *(a_card(name) for name in ids))


def in_review(due_day: int = DAY + 3, *, day: int = DAY, reps: int = 1, **changes: Any) -> Memory:
    values: dict[str, Any] = {
        "state": State.REVIEW,
        "stability": 3.25,
        "difficulty": 5.5,
        "due_day": due_day,
        "last_day": day,
        "reps": reps,
        "interval_days": due_day - day,
    }
    return Memory(**{**values, **changes})


def a_row(card: str = "a", *, after: Memory | None = None, **changes: Any) -> ReviewRow:
    number = next(_numbers)
    before = changes.get("before", Memory())
    values: dict[str, Any] = {
        "uid": "",
        "device": "",
        "counter": 0,
        "card": card,
        "rating": 3,
        "kind": Kind.LEARN if before is None or before.state is State.NEW else Kind.REVIEW,
        "at_ms": NOW_MS + number * 1000,
        "offset_min": 60,
        "zone": "Europe/Paris",
        "study_day": DAY,
        "before": Memory(),
        "after": in_review() if after is None else after,
        "showing": f"{card}/{os.getpid()}/{number}",
        "duration_ms": 4000,
    }
    return ReviewRow(**{**values, **changes})


def answer(store: Store, card: str = "a", **changes: Any) -> ReviewRow:
    """Answer a card from the memory it has now."""
    found = store.card(card)
    assert found is not None
    row = a_row(card, before=found.memory, **{"after": in_review(reps=found.memory.reps + 1), **changes})
    return store.record(row, expected=found.memory)


def a_moment(day: int = DAY) -> Moment:
    return Moment(datetime.fromordinal(day).replace(hour=12, tzinfo=timezone.utc), timezone.utc, "UTC")


def undo(store: Store, **changes: Any) -> ReviewRow | None:
    values: dict[str, Any] = {
        "at_ms": NOW_MS + next(_numbers) * 1000,
        "offset_min": 60,
        "zone": "Europe/Paris",
        "study_day": DAY,
    }
    return store.undo(**{**values, **changes})


def derived(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Dump everything that is derived from the log, and the figures, in a stable order."""
    with store.read() as connection:
        tables = {
            name: [tuple(row) for row in connection.exec_driver_sql(f"SELECT * FROM {name} ORDER BY 1, 2")]
            for name in ("memory", "cards")
        }
    figures = [
        tuple(store.done_today(DAY)),
        tuple(store.active_days().items()),
        tuple(store.due_forecast(DAY, 10).items()),
        store.retention(DAY - 30, DAY + 30),
    ]
    queue = sorted((row.card, int(row.state)) for row in [*store.queue_rows(DAY + 5, NOW_MS), *store.new_rows(99)])
    return {**tables, "figures": figures, "queue": queue, "rows": [(row.uid,) for row in store.reviews()]}


def python(script: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a script in a fresh interpreter that finds these helpers."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )
