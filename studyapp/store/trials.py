"""Predictions, runs and their points."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, RowMapping, func, insert, select, update

from studyapp.core.errors import StoreError
from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Closeness, Prediction, Score, Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store import schema
from studyapp.store.records import NewRun, StoredPrediction, StoredRun
from studyapp.store.session import Session

_RUN = schema.runs.c
_PREDICTION = schema.predictions.c
_UNDO = schema.reviews.alias("undo").c
_TAKEN_BACK = select(schema.reviews.c.run).where(
    _UNDO.voids.is_not(None), schema.reviews.c.uid == _UNDO.voids, schema.reviews.c.run.is_not(None)
)
"""Runs of answers that were taken back."""
OWN_SCRIPT = "dock:"
"""What the names of findings about a learner's own script begin with: runs of no experiment, without a verdict."""
_VARIABLES = 500
"""Values in one statement; SQLite before 3.32 takes 999."""


def first_prediction_exists(session: Session, experiment: str, controls: Mapping[str, Any], device: str) -> bool:
    """Return whether (experiment, controls, device) was predicted before: only the first one calibrates."""
    with session.read() as connection:
        return _predicted(connection, experiment, as_json(controls), device)


def _predicted(connection: Connection, experiment: str, controls: str, device: str) -> bool:
    query = select(_PREDICTION.uid).where(
        _PREDICTION.experiment == experiment, _PREDICTION.device == device, _PREDICTION.controls == controls
    )
    return connection.execute(query.limit(1)).first() is not None


def predicted_with(session: Session, experiment: str, controls: Mapping[str, Any]) -> bool:
    """Return whether an experiment was ever predicted with these controls, on any device."""
    query = select(_PREDICTION.uid).where(
        _PREDICTION.experiment == experiment, _PREDICTION.controls == as_json(controls)
    )
    with session.read() as connection:
        return connection.execute(query.limit(1)).first() is not None


def days_tried(session: Session, before_day: int) -> dict[str, int]:
    """Return on how many study days before a day each experiment was run to a verdict, by experiment id."""
    days = func.count(func.distinct(_RUN.study_day))
    query = select(_RUN.experiment, days).where(_RUN.study_day < before_day, _RUN.outcome.is_not(None))
    with session.read() as connection:
        return {row[0]: row[1] for row in connection.execute(query.group_by(_RUN.experiment))}


def _last_made_ms(connection: Connection, experiment: str, controls: str, device: str) -> int | None:
    trial = (_PREDICTION.experiment == experiment, _PREDICTION.device == device, _PREDICTION.controls == controls)
    found: int | None = connection.execute(select(func.max(_PREDICTION.made_at_ms)).where(*trial)).scalar()
    return found


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
    with session.write() as connection:
        last_ms = _last_made_ms(connection, experiment, settings, device)
        connection.execute(
            insert(schema.predictions).values(
                uid=uid,
                experiment=experiment,
                controls=settings,
                device=device,
                value=prediction.value,
                sure=prediction.sure.value,
                low=prediction.low,
                high=prediction.high,
                # a clock set back must not make a later number the first one when two records are merged
                made_at_ms=prediction.made_at_ms if last_ms is None else max(prediction.made_at_ms, last_ms + 1),
                first=int(last_ms is None),
            )
        )
    return uid


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
    with session.write() as connection:
        connection.execute(insert(schema.runs).values(uid=uid, **_run_values(run, verdict)))
        if points:
            connection.execute(insert(schema.points), [_point_values(uid, i, p) for i, p in enumerate(points)])
        if prediction is not None:
            _settle(connection, prediction, uid, score)
    return uid


def _settle(connection: Connection, prediction: str, run: str, score: Score | None) -> None:
    outcome: dict[str, Any] = {}
    if score is not None:
        outcome = {"closeness": score.closeness.value, "factor": score.factor, "inside": int(score.inside)}
    settled = connection.execute(
        update(schema.predictions)
        .where(_PREDICTION.uid == prediction, _PREDICTION.run.is_(None))
        .values(run=run, **outcome)
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
    with session.read() as connection:
        row = connection.execute(select(schema.runs).where(_RUN.uid == uid)).mappings().first()
    return None if row is None else _run_from(row)


def runs(session: Session, experiment: str | None = None) -> list[StoredRun]:
    """Return the runs of an experiment, or of all, latest first; findings about own scripts only by name."""
    return _runs(session, experiment, None, None, None)


def _runs(
    session: Session, experiment: str | None, device: str | None, card: str | None, limit: int | None
) -> list[StoredRun]:
    query = select(schema.runs).order_by(_RUN.started_at_ms.desc(), schema.runs.c.uid).limit(limit)
    if experiment is not None:
        query = query.where(_RUN.experiment == experiment)
    else:
        query = query.where(~_RUN.experiment.startswith(OWN_SCRIPT))
    if device is not None:
        query = query.where(_RUN.device == device)
    if card is not None:
        query = query.where(_RUN.card == card)
    with session.read() as connection:
        return [_run_from(row) for row in connection.execute(query).mappings()]


def _run_from(row: RowMapping) -> StoredRun:
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
    c = schema.points.c
    query = select(c.series, c.x, c.y, c.low, c.high, c.repeats, c.settled, c.basis)
    with session.read() as connection:
        rows = connection.execute(query.where(c.run == run).order_by(c.seq)).all()
    return [_point_from(row) for row in rows]


def _point_from(r: Sequence[Any]) -> Point:
    return Point(r[0], math.nan if r[1] is None else r[1], r[2], r[3], r[4], r[5], bool(r[6]), Basis(r[7]))


def points_of(session: Session, wanted: Sequence[str]) -> dict[str, list[Point]]:
    """Return the points of several runs in order of arrival, by run; a run without points has an empty list."""
    c = schema.points.c
    found: dict[str, list[Point]] = {run: [] for run in wanted}
    with session.read() as connection:
        for start in range(0, len(wanted), _VARIABLES):
            query = select(c.run, c.series, c.x, c.y, c.low, c.high, c.repeats, c.settled, c.basis)
            some = query.where(c.run.in_(wanted[start : start + _VARIABLES])).order_by(c.run, c.seq)
            for row in connection.execute(some):
                found[row[0]].append(_point_from(row[1:]))
    return found


def prediction_of(session: Session, run: str) -> StoredPrediction | None:
    """Return the prediction that was committed for a run, or None."""
    with session.read() as connection:
        row = connection.execute(select(schema.predictions).where(_PREDICTION.run == run)).mappings().first()
    return _prediction_from(row) if row is not None else None


def predictions(session: Session, first_only: bool = False) -> list[StoredPrediction]:
    """Return the predictions in order of time; with `first_only` those that count for calibration.

    What went with an answer that was taken back does not count; a second try, with the number known, neither.
    """
    query = select(schema.predictions).order_by(_PREDICTION.made_at_ms, _PREDICTION.uid)
    if first_only:
        taken_back = _PREDICTION.run.is_not(None) & _PREDICTION.run.in_(_TAKEN_BACK)
        query = query.where(_PREDICTION.first == 1, ~taken_back)
    with session.read() as connection:
        return [_prediction_from(row) for row in connection.execute(query).mappings()]


def _prediction_from(row: RowMapping) -> StoredPrediction:
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
