"""Runs and their points."""

from __future__ import annotations

import json
import math
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Score
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store.predicted import settle
from studyapp.store.records import NewRun, StoredRun
from studyapp.store.rows import as_json, insert, named
from studyapp.store.session import Session

_POINTS = "SELECT run, series, x, y, low, high, repeats, settled, basis FROM points"
OWN_SCRIPT = "dock:"
"""What the names of findings about a learner's own script begin with: runs of no experiment, without a verdict."""
_VARIABLES = 500
"""Values in one statement; SQLite before 3.32 takes 999."""


def days_tried(session: Session, before_day: int) -> dict[str, int]:
    """Return on how many study days before a day each experiment was run to a verdict, by experiment id."""
    query = (
        "SELECT experiment, count(DISTINCT study_day) FROM runs "
        "WHERE study_day < ? AND outcome IS NOT NULL GROUP BY experiment"
    )
    with session.read_driver() as connection:
        return dict(connection.execute(query, (before_day,)).fetchall())


def save_run(
    session: Session,
    run: NewRun,
    points: Sequence[Point],
    verdict: Verdict | None,
    prediction: str | None = None,
    score: Score | None = None,
) -> str:
    """Store a run with its points and verdict, and how its prediction did, in one transaction; return its uid.

    Args:
        session: The store.
        run: What was run, where and when, and how it ended.
        points: Its points, in order of arrival.
        verdict: What they say, None where nothing was judged.
        prediction: uid of the prediction that was committed for it.
        score: How that prediction did, None where nothing was measured.

    Raises:
        StoreError: If there is no such prediction, or it has a run already.
    """
    uid = secrets.token_hex(16)
    with session.write_driver() as connection:
        insert(connection, "runs", [{"uid": uid, **_run_values(run, verdict)}])
        if points:
            insert(connection, "points", [_point_values(uid, seq, point) for seq, point in enumerate(points)])
        if prediction is not None:
            settle(connection, prediction, uid, score)
    return uid


def _run_values(run: NewRun, verdict: Verdict | None) -> dict[str, Any]:
    facts = {field.name: getattr(run.facts, field.name) for field in fields(run.facts)}
    return {
        "experiment": run.experiment,
        "card": run.card,
        "controls": as_json(run.controls),
        "device": run.facts.place,
        "facts": as_json(facts),
        "started_at_ms": run.started_at_ms,
        "study_day": run.study_day,
        "state": run.state,
        "outcome": verdict.outcome.value if verdict else None,
        "measured": verdict.measured if verdict else None,
        "unit": verdict.unit if verdict else "",
        "because": verdict.because if verdict else "",
        "low": verdict.low if verdict else None,
        "high": verdict.high if verdict else None,
        "never": int(verdict.never) if verdict else 0,
    }


def _point_values(run: str, seq: int, point: Point) -> dict[str, Any]:
    values = {field.name: getattr(point, field.name) for field in fields(point)}
    return {"run": run, "seq": seq, **values, "settled": int(point.settled), "basis": point.basis.value}


def last_run(
    session: Session, experiment: str | None = None, device: str | None = None, card: str | None = None
) -> StoredRun | None:
    """Return the latest run, of an experiment, on a device or for a card where given, or None."""
    found = _runs(session, experiment, device, card, 1)
    return found[0] if found else None


def run_of(session: Session, uid: str) -> StoredRun | None:
    """Return a run by its uid, or None."""
    with session.read_driver() as connection:
        row = named(connection, "SELECT * FROM runs WHERE uid = ?", (uid,)).fetchone()
    return None if row is None else _run_from(row)


def runs(session: Session, experiment: str | None = None) -> list[StoredRun]:
    """Return the runs of an experiment, or of all, latest first; findings about own scripts only by name."""
    return _runs(session, experiment, None, None, None)


def _runs(
    session: Session, experiment: str | None, device: str | None, card: str | None, limit: int | None
) -> list[StoredRun]:
    wanted = {"experiment = ?": experiment, "device = ?": device, "card = ?": card}
    values: dict[str, str | int] = {term: value for term, value in wanted.items() if value is not None}
    if experiment is None:
        values["experiment NOT LIKE ? || '%'"] = OWN_SCRIPT
    where = " AND ".join(values) or "1"
    query = f"SELECT * FROM runs WHERE {where} ORDER BY started_at_ms DESC, uid LIMIT ?"
    with session.read_driver() as connection:
        rows = named(connection, query, (*values.values(), -1 if limit is None else limit))
        return [_run_from(row) for row in rows]


def _run_from(row: sqlite3.Row) -> StoredRun:
    verdict = None
    if row["outcome"] is not None:
        verdict = Verdict(
            Outcome(row["outcome"]),
            row["because"],
            row["measured"],
            row["unit"],
            row["low"],
            row["high"],
            bool(row["never"]),
        )
    return StoredRun(
        uid=row["uid"],
        experiment=row["experiment"],
        card=row["card"],
        controls=json.loads(row["controls"]),
        device=row["device"],
        facts=Facts(**json.loads(row["facts"])),
        started_at_ms=row["started_at_ms"],
        study_day=row["study_day"],
        state=row["state"],
        verdict=verdict,
    )


def run_points(session: Session, run: str) -> list[Point]:
    """Return a run's points in order of arrival."""
    with session.read_driver() as connection:
        rows = connection.execute(f"{_POINTS} WHERE run = ? ORDER BY seq", (run,)).fetchall()
    return [_point_from(row[1:]) for row in rows]


def _point_from(r: Sequence[Any]) -> Point:
    return Point(r[0], math.nan if r[1] is None else r[1], r[2], r[3], r[4], r[5], bool(r[6]), Basis(r[7]))


def points_of(session: Session, wanted: Sequence[str]) -> dict[str, list[Point]]:
    """Return the points of several runs in order of arrival, by run; a run without points has an empty list."""
    found: dict[str, list[Point]] = {run: [] for run in wanted}
    with session.read_driver() as connection:
        for start in range(0, len(wanted), _VARIABLES):
            some = wanted[start : start + _VARIABLES]
            query = f"{_POINTS} WHERE run IN ({', '.join('?' * len(some))}) ORDER BY run, seq"
            for row in connection.execute(query, some):
                found[row[0]].append(_point_from(row[1:]))
    return found
