"""The third schema: what is known of days, machines and cards beside the log.

The statements are frozen here; `studyapp/store/schema.py` holds what the program uses today.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE day_notes (
        study_day INTEGER NOT NULL,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (study_day, kind)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE passports (
        uid TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        device TEXT NOT NULL,
        taken_at_ms INTEGER NOT NULL,
        study_day INTEGER NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (uid)
    )
    """,
    """
    CREATE INDEX passports_by_time ON passports (device, taken_at_ms)
    """,
    """
    CREATE TABLE corrections (
        uid TEXT NOT NULL,
        card TEXT NOT NULL,
        run TEXT,
        text TEXT NOT NULL,
        prompt TEXT NOT NULL,
        answer TEXT NOT NULL,
        written_at_ms INTEGER NOT NULL,
        withdraws TEXT,
        PRIMARY KEY (uid)
    )
    """,
    """
    CREATE TABLE card_marks (
        card TEXT NOT NULL,
        name TEXT NOT NULL,
        is_on INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (card, name)
    ) WITHOUT ROWID
    """,
    """
    CREATE INDEX card_marks_by_name ON card_marks (name, is_on)
    """,
    """
    CREATE TABLE rewrites (
        card TEXT NOT NULL,
        old_prompt TEXT NOT NULL,
        old_answer TEXT NOT NULL,
        new_hash TEXT NOT NULL,
        likeness FLOAT NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (card)
    )
    """,
    """
    CREATE TABLE coins (
        card TEXT NOT NULL,
        arm TEXT NOT NULL,
        drawn_at_ms INTEGER NOT NULL,
        PRIMARY KEY (card)
    )
    """,
    """
    CREATE TABLE challenges (
        uid TEXT NOT NULL,
        sender TEXT NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        content TEXT NOT NULL,
        answers TEXT NOT NULL,
        PRIMARY KEY (uid)
    )
    """,
)


def upgrade() -> None:
    """Create the tables; nothing that is there changes."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
