"""Predictions: committed before their run, settled with it, and read again for calibration."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping
from typing import Any

from studyapp.core.errors import StoreError
from studyapp.core.predictions import Closeness, Prediction, Score, Sure
from studyapp.store.records import StoredPrediction
from studyapp.store.rows import as_json, insert, named
from studyapp.store.session import Session

_TRIAL = "experiment = ? AND device = ? AND controls = ?"
_LAST_MADE = f"SELECT max(made_at_ms) FROM predictions WHERE {_TRIAL}"
_TAKEN_BACK = """
run IS NOT NULL AND run IN (
  SELECT r.run FROM reviews u CROSS JOIN reviews r ON r.uid = u.voids
  WHERE u.voids IS NOT NULL AND r.run IS NOT NULL
)
"""
"""Predictions whose run went with an answer that was taken back."""


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
        insert(connection, "predictions", [values])
    return uid


def settle(connection: sqlite3.Connection, prediction: str, run: str, score: Score | None) -> None:
    """Give a prediction its run and how it did, inside the transaction that stores the run.

    Raises:
        StoreError: If there is no such prediction, or it has a run already.
    """
    did = (score.closeness.value, score.factor, int(score.inside)) if score is not None else (None, None, None)
    settled = connection.execute(
        "UPDATE predictions SET run = ?, closeness = ?, factor = ?, inside = ? WHERE uid = ? AND run IS NULL",
        (run, *did, prediction),
    )
    if settled.rowcount != 1:
        raise StoreError(
            "This prediction is unknown or has its run already; the run was not stored.", "Predict anew."
        )


def prediction_of(session: Session, run: str) -> StoredPrediction | None:
    """Return the prediction that was committed for a run, or None."""
    with session.read_driver() as connection:
        row = named(connection, "SELECT * FROM predictions WHERE run = ?", (run,)).fetchone()
    return _prediction_from(row) if row is not None else None


def predictions(session: Session, first_only: bool = False) -> list[StoredPrediction]:
    """Return the predictions in order of time; with `first_only` those that count for calibration.

    What went with an answer that was taken back does not count; a second try, with the number known, neither.
    """
    where = f"first = 1 AND NOT ({_TAKEN_BACK})" if first_only else "1"
    with session.read_driver() as connection:
        rows = named(connection, f"SELECT * FROM predictions WHERE {where} ORDER BY made_at_ms, uid")
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
