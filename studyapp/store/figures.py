"""Figures for statistics, read from the roll-ups wherever they answer: their cost does not grow with the log.

The log itself is read for training and for the recall of each module, over a window of days.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection

from studyapp.core.calibration import Foretold
from studyapp.store.columns import AWAY, HIDDEN
from studyapp.store.figure_values import STABILITY_DAYS, DayFigures, HardCard, Held, TrainingRow
from studyapp.store.session import Session

CACHE_KIB = 65_536
"""Most memory for pages while statistics are gathered; a store of a few thousand reviews takes a few MB."""


_TRAINING = """
SELECT r.card, r.kind, r.rating, r.study_day, r.action FROM reviews r
WHERE (r.rating > 0 OR r.kind = 'manual') AND r.clock_ahead = 0
  AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)
ORDER BY r.card, r.ordered_ms, r.device, r.counter
"""


def training_rows(session: Session) -> list[TrainingRow]:
    """Return the answers and manual rows that stand, card by card, each card's in replay order.

    Rows that a clock set ahead may have spoilt are left out.
    """
    with session.read_driver() as connection:
        return [TrainingRow(*row) for row in connection.execute(_TRAINING)]


def active_days(session: Session) -> dict[int, int]:
    """Return the answers that count on each study day with any, days ascending.

    Cram answers count, undone ones and rows flagged for a clock that ran ahead do not.
    """
    with session.read_driver() as connection:
        query = "SELECT study_day, sum(n) FROM days WHERE ahead = 0 GROUP BY study_day HAVING sum(n) > 0"
        return dict(connection.execute(query).fetchall())


def retention(session: Session, since_day: int, until_day: int) -> tuple[int, int]:
    """Return (passed, total) as Anki counts true retention, over study days from one to the other, both included.

    What counts is each card's first answer of a day, given on a review card whose last interval was a day or more.
    """
    with session.read_driver() as connection:
        row = connection.execute(
            "SELECT coalesce(sum(n * (rating > 1)), 0), coalesce(sum(n), 0) FROM days "
            "WHERE study_day BETWEEN ? AND ? AND spell > 0 AND ahead = 0",
            (since_day, until_day),
        ).fetchone()
    return row[0], row[1]


_DAYS = """
SELECT study_day, sum(n), sum(ms) / 1000.0,
       sum(n * (spell = 1 AND rating > 1)), sum(n * (spell = 1)),
       sum(n * (spell = 2 AND rating > 1)), sum(n * (spell = 2))
FROM days WHERE ahead = 0 AND study_day >= ? AND (? = '' OR module = ?) GROUP BY study_day HAVING sum(n) > 0
"""


def day_figures(session: Session, since_day: int = 0, module: str = "") -> list[DayFigures]:
    """Return every study day with answers from one on, days ascending; a clock that ran ahead is left out.

    Args:
        session: The store.
        since_day: The first study day.
        module: Only answers to this module's cards; empty for all.
    """
    with session.read_driver() as connection:
        rows = connection.execute(_DAYS, (since_day, module, module))
        return list(map(DayFigures._make, rows))


_MODULE_RECALL = """
SELECT module, sum(n * (spell = 1 AND rating > 1)), sum(n * (spell = 1)),
       sum(n * (spell = 2 AND rating > 1)), sum(n * (spell = 2))
FROM days WHERE study_day BETWEEN ? AND ? AND spell > 0 AND ahead = 0 AND module <> ''
GROUP BY module HAVING sum(n) > 0
"""


def module_recall(session: Session, since_day: int, until_day: int) -> dict[str, tuple[int, int, int, int]]:
    """Return each module's (young passed, young, mature passed, mature) over a window of study days."""
    with session.read_driver() as connection:
        rows = connection.execute(_MODULE_RECALL, (since_day, until_day))
        return {row[0]: (row[1], row[2], row[3], row[4]) for row in rows}


def forecast_bins(session: Session, since_day: int = 0, until_day: int = 10_000_000) -> list[Foretold]:
    """Return the scheduler's own forecasts of next-day reviews against what came of them, chances ascending.

    Args:
        session: The store.
        since_day: From the week that holds this study day.
        until_day: To the week that holds this one.
    """
    query = """
    SELECT bin / 1000.0, sum(n * passed), sum(n * (1 - passed)), sum(sum_r * passed), sum(sum_r * (1 - passed))
    FROM forecasts WHERE week BETWEEN ? AND ? GROUP BY bin HAVING sum(n) > 0
    """
    with session.read_driver() as connection:
        rows = connection.execute(query, (since_day // 7, until_day // 7))
        return [Foretold(*row) for row in rows]


_HELD = f"""
SELECT module, count(*), sum(interval_days >= 1), sum(leech),
       sum(pow(1 + ? * max(0, ? - last_day) / stability, ?)),
       sum(pow(1 + ? * (max(0, ? - last_day) + ?) / stability, ?)),
       {", ".join(f"sum(stability >= {days})" for days in STABILITY_DAYS)}
FROM memory WHERE away_until < {HIDDEN} AND stability > 0 GROUP BY module
"""


def held_in_memory(session: Session, study_day: int, days: int, decay: float) -> list[Held]:
    """Return what every module's cards hold today, and would hold some days later without a review.

    Args:
        session: The store.
        study_day: Today.
        days: How many days later.
        decay: Exponent of the forgetting curve, positive.
    """
    _make_room(session.raw)
    _ensure_pow(session.raw)
    factor = 0.9 ** (-1 / decay) - 1
    values = (factor, study_day, -decay, factor, study_day, days, -decay)
    with session.read_driver() as connection:
        rows = connection.execute(_HELD, values)
        return [Held(r[0], r[1], r[2], r[3], r[4], r[5], tuple(r[6:])) for r in rows]


def _make_room(raw: sqlite3.Connection) -> None:
    """Walking the memory of a hundred thousand cards thrashes SQLite's usual 2 MB of pages."""
    raw.execute(f"PRAGMA cache_size = -{CACHE_KIB}")


def _ensure_pow(raw: sqlite3.Connection) -> None:
    """SQLite knows `pow` only where it was built with it."""
    try:
        raw.execute("SELECT pow(2, 2)").fetchone()
    except sqlite3.OperationalError:
        raw.create_function("pow", 2, math.pow, deterministic=True)


def card_counts(session: Session, module: str = "") -> tuple[int, int]:
    """Return (cards, suspended cards) of those that are not hidden, of a module where one is named."""
    query = "SELECT count(*), coalesce(sum(suspended), 0) FROM cards WHERE hidden = 0"
    values: tuple[str, ...] = ()
    if module:
        query, values = f"{query} AND module = ?", (module,)
    with session.read_driver() as connection:
        row = connection.execute(query, values).fetchone()
    return row[0], row[1]


def cards_with(session: Session, experiments: Collection[str]) -> int:
    """Return how many cards that are not hidden have one of these experiments."""
    if not experiments:
        return 0
    query = "SELECT experiments, count(*) FROM cards WHERE hidden = 0 AND experiments <> '[]' GROUP BY experiments"
    with session.read_driver() as connection:
        found = connection.execute(query).fetchall()
    return sum(
        count for text, count in found if any(link["experiment"] in experiments for link in json.loads(text))
    )


def module_titles(session: Session) -> dict[str, str]:
    """Return the title of every module, hidden ones included."""
    with session.read_driver() as connection:
        return {row[0]: row[1] for row in connection.execute("SELECT id, title FROM modules")}


_HARDEST = f"""
SELECT card, lapses, stability, last_day, leech FROM memory
WHERE lapses > 0 AND stability IS NOT NULL AND away_until < {HIDDEN} AND (? = '' OR module = ?)
ORDER BY lapses DESC, stability, card LIMIT ?
"""


def hardest_cards(session: Session, limit: int, module: str = "") -> list[HardCard]:
    """Return the cards forgotten most often, the most lapses first; at equal lapses the less stable one.

    Args:
        session: The store.
        limit: How many at most.
        module: Only of this module; empty for all.
    """
    found = []
    with session.read_driver() as connection:
        run = connection.execute
        for card, lapses, stability, last_day, leech in run(_HARDEST, (module, module, limit)).fetchall():
            # one by one: joined, SQLite sorts all cards instead of keeping the first few
            prompt = run("SELECT prompt FROM cards WHERE id = ?", (card,)).fetchone()
            if prompt is not None:
                found.append(HardCard(card, prompt[0], lapses, stability, last_day, bool(leech)))
    return found


_DUE = f"""
SELECT due_day, count(*) FROM memory WHERE due_day < ? AND away_until < {AWAY} AND (? = '' OR module = ?)
GROUP BY due_day
UNION ALL
SELECT NULL, count(*) FROM memory WHERE due_at_ms IS NOT NULL AND away_until < {AWAY} AND (? = '' OR module = ?)
"""


def due_days(session: Session, study_day: int, days: int, module: str = "") -> tuple[dict[int, int], int]:
    """Return how many known cards are due on each of the next days, and how many of the first are overdue.

    As `due_forecast` counts: what is overdue and what is on a step counts for the first day.
    """
    found, late = dict.fromkeys(range(study_day, study_day + days), 0), 0
    with session.read_driver() as connection:
        for day, count in connection.execute(_DUE, (study_day + days, *[module] * 4)):
            found[study_day if day is None else max(study_day, day)] += count
            late += count if day is not None and day < study_day else 0
    return found, late
