"""The first schema: lessons, memory, the review log, runs and predictions.

The statements are frozen here; `studyapp/store/schema.py` holds what the program uses today.
"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE devices (
        device BLOB NOT NULL,
        fingerprint TEXT NOT NULL,
        since_ms INTEGER NOT NULL,
        PRIMARY KEY (device)
    )
    """,
    """
    CREATE TABLE memory (
        card TEXT NOT NULL,
        state INTEGER NOT NULL,
        step INTEGER,
        stability FLOAT,
        difficulty FLOAT,
        due_day INTEGER,
        due_at_ms INTEGER,
        last_day INTEGER,
        reps INTEGER NOT NULL,
        lapses INTEGER NOT NULL,
        interval_days INTEGER NOT NULL,
        leech INTEGER NOT NULL,
        PRIMARY KEY (card)
    )
    """,
    """
    CREATE INDEX memory_due_at ON memory (due_at_ms) WHERE due_at_ms IS NOT NULL
    """,
    """
    CREATE INDEX memory_due_day ON memory (due_day) WHERE due_day IS NOT NULL
    """,
    """
    CREATE TABLE meta (
        "key" TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY ("key")
    )
    """,
    """
    CREATE TABLE modules (
        id TEXT NOT NULL,
        title TEXT NOT NULL,
        summary TEXT NOT NULL,
        path TEXT NOT NULL,
        source_hash TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        hidden INTEGER NOT NULL,
        saved_at_ms INTEGER NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE TABLE readings (
        id INTEGER NOT NULL,
        module TEXT NOT NULL,
        section TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        study_day INTEGER NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE INDEX readings_by_section ON readings (module, section, at_ms)
    """,
    """
    CREATE TABLE reviews (
        uid BLOB NOT NULL,
        device BLOB NOT NULL,
        counter INTEGER NOT NULL,
        card TEXT NOT NULL,
        rating INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        ordered_ms INTEGER NOT NULL,
        offset_min INTEGER NOT NULL,
        zone TEXT NOT NULL,
        study_day INTEGER NOT NULL,
        elapsed_days INTEGER NOT NULL,
        before_state INTEGER,
        before_step INTEGER,
        before_stability FLOAT,
        before_difficulty FLOAT,
        before_due_day INTEGER,
        before_due_at_ms INTEGER,
        before_last_day INTEGER,
        before_reps INTEGER,
        before_lapses INTEGER,
        before_interval_days INTEGER,
        after_state INTEGER,
        after_step INTEGER,
        after_stability FLOAT,
        after_difficulty FLOAT,
        after_due_day INTEGER,
        after_due_at_ms INTEGER,
        after_last_day INTEGER,
        after_reps INTEGER,
        after_lapses INTEGER,
        after_interval_days INTEGER,
        retrievability FLOAT,
        duration_ms INTEGER NOT NULL,
        showing TEXT,
        run TEXT,
        voids BLOB,
        parameters TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        clock_ahead INTEGER NOT NULL,
        action TEXT NOT NULL,
        PRIMARY KEY (uid),
        CONSTRAINT rating_range CHECK (rating BETWEEN 0 AND 4)
    )
    """,
    """
    CREATE UNIQUE INDEX reviews_by_card ON reviews (card, showing)
    """,
    """
    CREATE INDEX reviews_by_day ON reviews (study_day, kind, rating, clock_ahead)
    """,
    """
    CREATE INDEX reviews_by_device ON reviews (device, counter)
    """,
    """
    CREATE INDEX reviews_voids ON reviews (voids) WHERE voids IS NOT NULL
    """,
    """
    CREATE TABLE runs (
        uid TEXT NOT NULL,
        experiment TEXT NOT NULL,
        card TEXT,
        controls TEXT NOT NULL,
        device TEXT NOT NULL,
        facts TEXT NOT NULL,
        started_at_ms INTEGER NOT NULL,
        study_day INTEGER NOT NULL,
        state TEXT NOT NULL,
        outcome TEXT,
        measured FLOAT,
        unit TEXT NOT NULL,
        because TEXT NOT NULL,
        low FLOAT,
        high FLOAT,
        never INTEGER NOT NULL,
        PRIMARY KEY (uid),
        CONSTRAINT run_state CHECK (state IN ('done', 'cancelled', 'failed', 'cut'))
    )
    """,
    """
    CREATE INDEX runs_by_experiment ON runs (experiment, started_at_ms)
    """,
    """
    CREATE TABLE cards (
        id TEXT NOT NULL,
        module TEXT NOT NULL,
        section TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        kind TEXT NOT NULL,
        prompt TEXT NOT NULL,
        answer TEXT NOT NULL,
        key_points TEXT NOT NULL,
        experiments TEXT NOT NULL,
        tags TEXT NOT NULL,
        path TEXT NOT NULL,
        line INTEGER NOT NULL,
        text_hash TEXT NOT NULL,
        explicit_id INTEGER NOT NULL,
        hidden INTEGER NOT NULL,
        suspended INTEGER DEFAULT '0' NOT NULL,
        buried_until_day INTEGER,
        PRIMARY KEY (id),
        FOREIGN KEY(module) REFERENCES modules (id)
    )
    """,
    """
    CREATE INDEX cards_by_module ON cards (module, ordinal)
    """,
    """
    CREATE INDEX cards_by_text ON cards (text_hash)
    """,
    """
    CREATE TABLE points (
        run TEXT NOT NULL,
        seq INTEGER NOT NULL,
        series TEXT NOT NULL,
        x FLOAT,
        y FLOAT,
        low FLOAT,
        high FLOAT,
        repeats INTEGER NOT NULL,
        settled INTEGER NOT NULL,
        basis TEXT NOT NULL,
        PRIMARY KEY (run, seq),
        FOREIGN KEY(run) REFERENCES runs (uid)
    )
    """,
    """
    CREATE TABLE predictions (
        uid TEXT NOT NULL,
        run TEXT,
        experiment TEXT NOT NULL,
        controls TEXT NOT NULL,
        device TEXT NOT NULL,
        value FLOAT,
        sure TEXT NOT NULL,
        low FLOAT,
        high FLOAT,
        made_at_ms INTEGER NOT NULL,
        first INTEGER NOT NULL,
        closeness TEXT,
        factor FLOAT,
        inside INTEGER,
        PRIMARY KEY (uid),
        FOREIGN KEY(run) REFERENCES runs (uid)
    )
    """,
    """
    CREATE INDEX predictions_by_run ON predictions (run)
    """,
    """
    CREATE INDEX predictions_by_trial ON predictions (experiment, device, controls)
    """,
    """
    CREATE TABLE sections (
        module TEXT NOT NULL,
        id TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        experiments TEXT NOT NULL,
        line INTEGER NOT NULL,
        PRIMARY KEY (module, id),
        FOREIGN KEY(module) REFERENCES modules (id)
    )
    """,
)


def upgrade() -> None:
    """Create every table and index, one statement at a time."""
    for statement in STATEMENTS:
        op.execute(statement)
