"""The second schema: the learner's own parameter sets, and roll-ups of the log kept by triggers.

A trigger runs in the transaction of the row that fires it, whoever writes the row: an answer, an undo, a merge.
The statements are frozen here; `studyapp/store/rollups.py` says what the roll-ups hold and checks them.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = (
    """
    CREATE TABLE parameters (
        "key" TEXT NOT NULL,
        numbers TEXT NOT NULL,
        fitted_at_ms INTEGER NOT NULL,
        reviews INTEGER NOT NULL,
        held_out INTEGER NOT NULL,
        loss_before FLOAT,
        loss_after FLOAT,
        replaces TEXT NOT NULL,
        PRIMARY KEY ("key")
    )
    """,
    """
    CREATE TABLE days (
        study_day INTEGER NOT NULL,
        kind TEXT NOT NULL,
        spell INTEGER NOT NULL,
        rating INTEGER NOT NULL,
        ahead INTEGER NOT NULL,
        n INTEGER NOT NULL,
        ms INTEGER NOT NULL,
        PRIMARY KEY (study_day, kind, spell, rating, ahead)
    ) WITHOUT ROWID
    """,
    """
    CREATE INDEX cards_seen ON cards (id, module, hidden, suspended)
    """,
    """
    CREATE TABLE forecasts (
        week INTEGER NOT NULL,
        bin INTEGER NOT NULL,
        passed INTEGER NOT NULL,
        n INTEGER NOT NULL,
        sum_r FLOAT NOT NULL,
        PRIMARY KEY (week, bin, passed)
    ) WITHOUT ROWID
    """,
)


def _day(row: str) -> str:
    """Return the key of a log row in `days`."""
    none = f"{row}.kind <> 'review' OR {row}.elapsed_days < 1 OR coalesce({row}.before_interval_days, 0) < 1"
    spell = f"CASE WHEN {none} THEN 0 WHEN {row}.before_interval_days < 21 THEN 1 ELSE 2 END"
    return f"{row}.study_day, {row}.kind, {spell}, {row}.rating, {row}.clock_ahead <> 0"


def _forecast(row: str) -> str:
    """Return the key of a log row in `forecasts`."""
    lower = (
        f"CASE WHEN {row}.retrievability >= 0.99 THEN CAST({row}.retrievability * 1000 AS INTEGER) "
        f"ELSE CAST({row}.retrievability * 100 AS INTEGER) * 10 END"
    )
    return f"{row}.study_day / 7, {lower}, {row}.rating > 1"


def _counts(row: str) -> str:
    """Return whether a log row is an answer that nothing takes back."""
    return f"{row}.rating > 0 AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = {row}.uid)"


def _foretold(row: str) -> str:
    """Return whether a log row scores the scheduler's own forecast."""
    return (
        f"{row}.kind = 'review' AND {row}.elapsed_days >= 1 AND {row}.clock_ahead = 0 "
        f"AND {row}.retrievability IS NOT NULL"
    )


_FIRST_VOID = (
    "NEW.voids IS NOT NULL AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = NEW.voids AND v.uid <> NEW.uid)"
)
"""A row may be taken back on two machines; it leaves the roll-ups once."""

FILL = (
    f"""
    INSERT INTO days
    SELECT {_day("r")}, count(*), sum(min(r.duration_ms, 60000)) FROM reviews r
    WHERE {_counts("r")} GROUP BY 1, 2, 3, 4, 5
    """,
    f"""
    INSERT INTO forecasts
    SELECT {_forecast("r")}, count(*), sum(r.retrievability) FROM reviews r
    WHERE {_counts("r")} AND {_foretold("r")} GROUP BY 1, 2, 3
    """,
)

TRIGGERS = (
    f"""
    CREATE TRIGGER days_add AFTER INSERT ON reviews WHEN {_counts("NEW")}
    BEGIN
        INSERT INTO days VALUES ({_day("NEW")}, 1, min(NEW.duration_ms, 60000))
        ON CONFLICT DO UPDATE SET n = n + 1, ms = ms + excluded.ms;
    END
    """,
    f"""
    CREATE TRIGGER days_void AFTER INSERT ON reviews WHEN {_FIRST_VOID}
    BEGIN
        UPDATE days SET n = n - 1,
            ms = ms - (SELECT min(r.duration_ms, 60000) FROM reviews r WHERE r.uid = NEW.voids)
        WHERE (study_day, kind, spell, rating, ahead) =
            (SELECT {_day("r")} FROM reviews r WHERE r.uid = NEW.voids AND r.rating > 0);
    END
    """,
    f"""
    CREATE TRIGGER forecasts_add AFTER INSERT ON reviews WHEN {_foretold("NEW")} AND {_counts("NEW")}
    BEGIN
        INSERT INTO forecasts VALUES ({_forecast("NEW")}, 1, NEW.retrievability)
        ON CONFLICT DO UPDATE SET n = n + 1, sum_r = sum_r + excluded.sum_r;
    END
    """,
    f"""
    CREATE TRIGGER forecasts_void AFTER INSERT ON reviews WHEN {_FIRST_VOID}
    BEGIN
        UPDATE forecasts SET n = n - 1,
            sum_r = sum_r - (SELECT r.retrievability FROM reviews r WHERE r.uid = NEW.voids)
        WHERE (week, bin, passed) =
            (SELECT {_forecast("r")} FROM reviews r WHERE r.uid = NEW.voids AND r.rating > 0 AND {_foretold("r")});
    END
    """,
)


def upgrade() -> None:
    """Create the tables, fill the roll-ups from the log, and keep them from now on."""
    connection = op.get_bind()
    for statement in (*TABLES, *FILL, *TRIGGERS):
        connection.exec_driver_sql(statement)
