"""Predictions, runs and their points."""

from __future__ import annotations

import json
import math
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from studyapp.core.errors import StoreError
from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Closeness, Prediction, Score, Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store.records import NewRun, StoredPrediction, StoredRun
from studyapp.store.session import Session

_TRIAL = "experiment = ? AND device = ? AND controls = ?"
_LAST_MADE = f"SELECT max(made_at_ms) FROM predictions WHERE {_TRIAL}"
_POINTS = "SELECT run, series, x, y, low, high, repeats, settled, basis FROM points"
_TAKEN_BACK = """
run IS NOT NULL AND run IN (
  SELECT r.run FROM reviews u CROSS JOIN reviews r ON r.uid = u.voids
  WHERE u.voids IS NOT NULL AND r.run IS NOT NULL
)
"""
"""Predictions whose run went with an answer that was taken back."""
OWN_SCRIPT = "dock:"
"""What the names of findings about a learner's own script begin with: runs of no experiment, without a verdict."""
_VARIABLES = 500
"""Values in one statement; SQLite before 3.32 takes 999."""


def first_prediction_exists(session: Session, experiment: str, controls: Mapping[str, Any], device: str) -> bool:
    """Return whether (experiment, controls, device) was predicted before: only the first one calibrates."""
    query = f"SELECT 1 FROM predictions WHERE {_TRIAL} LIMIT 1"
    with session.read_driver() as connection:
        return connection.execute(query, (experiment, device, as_json(controls))).fetchone() is not None


def predicted_with(session: Session, experiment: str, controls: Mapping[str, Any]) -> bool:
    """Return whether an experiment was ever predicted with these controls, on any device."""
    query = "SELECT 1 FROM predictions WHERE experiment = ? AND controls = ? LIMIT 1"
    with session.read_driver() as connection:
        return connection.execute(query, (experiment, as_json(controls))).fetchone() is not None


def days_tried(session: Session, before_day: int) -> dict[str, int]:
    """Return on how many study days before a day each experiment was run to a verdict, by experiment id."""
    query = (
        "SELECT experiment, count(DISTINCT study_day) FROM runs "
        "WHERE study_day < ? AND outcome IS NOT NULL GROUP BY experiment"
    )
    with session.read_driver() as connection:
        return dict(connection.execute(query, (before_day,)).fetchall())


def save_prediction(
    session: Session, prediction: Prediction, *, experiment: str, controls: Mapping[str, Any], device: str
) -> str:
    """Commit a number before its run; return the prediction's uid.

    Args:
        session: The store.
        prediction: The number with its how-sure and when it was made.
        experiment: Experiment id.
        controls: The controls the run will have.
        device: torch device type it will run on.
    """
    uid, settings = secrets.token_hex(16), as_json(controls)
    with session.write_driver() as connection:
        last_ms = connection.execute(_LAST_MADE, (experiment, device, settings)).fetchone()[0]
        values = {
            "uid": uid,
            "experiment": experiment,
            "controls": settings,
            "device": device,
            "value": prediction.value,
            "sure": prediction.sure.value,
            "low": prediction.low,
            "high": prediction.high,
            # a clock set back must not make a later number the first one when two records are merged
            "made_at_ms": prediction.made_at_ms if last_ms is None else max(prediction.made_at_ms, last_ms + 1),
            "first": int(last_ms is None),
        }
        _insert(connection, "predictions", [values])
    return uid


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns, at least one."""
    names = list(rows[0])
    query = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"
    connection.executemany(query, rows)


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
        _insert(connection, "runs", [{"uid": uid, **_run_values(run, verdict)}])
        if points:
            _insert(connection, "points", [_point_values(uid, seq, point) for seq, point in enumerate(points)])
        if prediction is not None:
            _settle(connection, prediction, uid, score)
    return uid


def _settle(connection: sqlite3.Connection, prediction: str, run: str, score: Score | None) -> None:
    did = (score.closeness.value, score.factor, int(score.inside)) if score is not None else (None, None, None)
    settled = connection.execute(
        "UPDATE predictions SET run = ?, closeness = ?, factor = ?, inside = ? WHERE uid = ? AND run IS NULL",
        (run, *did, prediction),
    )
    if settled.rowcount != 1:
        raise StoreError(
            "This prediction is unknown or has its run already; the run was not stored.", "Predict anew."
        )


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
        row = _named(connection, "SELECT * FROM runs WHERE uid = ?", (uid,)).fetchone()
    return None if row is None else _run_from(row)


def _named(connection: sqlite3.Connection, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
    """Return what a query finds as rows that know their columns' names."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values)


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
        rows = _named(connection, query, (*values.values(), -1 if limit is None else limit))
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


def prediction_of(session: Session, run: str) -> StoredPrediction | None:
    """Return the prediction that was committed for a run, or None."""
    with session.read_driver() as connection:
        row = _named(connection, "SELECT * FROM predictions WHERE run = ?", (run,)).fetchone()
    return _prediction_from(row) if row is not None else None


def predictions(session: Session, first_only: bool = False) -> list[StoredPrediction]:
    """Return the predictions in order of time; with `first_only` those that count for calibration.

    What went with an answer that was taken back does not count; a second try, with the number known, neither.
    """
    where = f"first = 1 AND NOT ({_TAKEN_BACK})" if first_only else "1"
    with session.read_driver() as connection:
        rows = _named(connection, f"SELECT * FROM predictions WHERE {where} ORDER BY made_at_ms, uid")
        return [_prediction_from(row) for row in rows]


def _prediction_from(row: sqlite3.Row) -> StoredPrediction:
    score = None
    if row["closeness"] is not None:
        score = Score(Closeness(row["closeness"]), row["factor"], bool(row["inside"]))
    return StoredPrediction(
        uid=row["uid"],
        run=row["run"],
        experiment=row["experiment"],
        controls=json.loads(row["controls"]),
        device=row["device"],
        prediction=Prediction(row["value"], Sure(row["sure"]), row["made_at_ms"]),
        first=bool(row["first"]),
        score=score,
    )


def as_json(values: Mapping[str, Any]) -> str:
    """Return canonical JSON, so that equal controls are equal texts: keys sorted, nan and infinities as null."""
    plain = _plain(values)
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=str
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
