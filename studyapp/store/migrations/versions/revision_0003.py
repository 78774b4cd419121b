"""The third schema: what is known of days, machines and cards beside the log; what is due, without its cards.

Triggers keep with each memory whether its card may be shown and in which module it is, keep the cards that were
never answered, and count a day's answers by module. The statements are frozen here; `studyapp/store/schema.py`
holds what the program uses today.
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

_AWAY = (
    "CASE WHEN {0}.hidden <> 0 THEN 30000000 WHEN {0}.suspended <> 0 THEN 20000000 "
    "ELSE coalesce({0}.buried_until_day, 0) END"
)
"""Until which study day a card is not shown; beyond all days for one that is suspended or hidden."""


def _placed(card: str) -> str:
    """Return what keeps a card's place with its memory."""
    return (
        f"UPDATE memory SET (away_until, module) = (SELECT {_AWAY.format('c')}, c.module FROM cards c "
        f"WHERE c.id = memory.card) WHERE card = {card} AND EXISTS (SELECT 1 FROM cards c WHERE c.id = {card});"
    )


_UNKNOWN = "NOT EXISTS (SELECT 1 FROM memory m WHERE m.card = {0})"
_UNSEEN = f"INSERT OR IGNORE INTO unseen SELECT NEW.module, NEW.ordinal, NEW.id WHERE {_UNKNOWN.format('NEW.id')};"
_SEEN = "DELETE FROM unseen WHERE module = OLD.module AND ordinal = OLD.ordinal AND card = OLD.id;"

DUE = (
    "ALTER TABLE memory ADD COLUMN away_until INTEGER DEFAULT '30000000' NOT NULL",
    "ALTER TABLE memory ADD COLUMN module TEXT DEFAULT '' NOT NULL",
    f"UPDATE memory SET (away_until, module) = (SELECT {_AWAY.format('c')}, c.module FROM cards c "
    "WHERE c.id = memory.card) WHERE card IN (SELECT id FROM cards)",
    "DROP INDEX memory_due_day",
    "DROP INDEX memory_due_at",
    "CREATE INDEX memory_due_day ON memory (due_day, away_until, last_day, stability) WHERE due_day IS NOT NULL",
    "CREATE INDEX memory_due_at ON memory (due_at_ms, away_until) WHERE due_at_ms IS NOT NULL",
    """
    CREATE TABLE unseen (
        module TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        card TEXT NOT NULL,
        PRIMARY KEY (module, ordinal, card)
    ) WITHOUT ROWID
    """,
    f"INSERT INTO unseen SELECT c.module, c.ordinal, c.id FROM cards c WHERE {_UNKNOWN.format('c.id')}",
    f"CREATE TRIGGER memory_placed AFTER INSERT ON memory BEGIN {_placed('NEW.card')} "
    "DELETE FROM unseen WHERE (module, ordinal, card) = (SELECT c.module, c.ordinal, c.id FROM cards c "
    "WHERE c.id = NEW.card); END",
    "CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN "
    "INSERT OR IGNORE INTO unseen SELECT c.module, c.ordinal, c.id FROM cards c WHERE c.id = OLD.card; END",
    f"CREATE TRIGGER card_came AFTER INSERT ON cards BEGIN {_UNSEEN} {_placed('NEW.id')} END",
    f"CREATE TRIGGER card_went AFTER DELETE ON cards BEGIN {_SEEN} "
    "UPDATE memory SET away_until = 30000000, module = '' WHERE card = OLD.id; END",
    "CREATE TRIGGER card_moved AFTER UPDATE OF id, module, ordinal ON cards "
    "WHEN OLD.id <> NEW.id OR OLD.module <> NEW.module OR OLD.ordinal <> NEW.ordinal "
    f"BEGIN {_SEEN} {_UNSEEN} {_placed('NEW.id')} END",
    "CREATE TRIGGER card_away AFTER UPDATE OF hidden, suspended, buried_until_day ON cards "
    f"BEGIN {_placed('NEW.id')} END",
)

_NOWHERE = "''"
"""The module of answers whose card is not here."""
_STANDS = "r.rating > 0 AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)"


def _day(row: str, module: str = "") -> str:
    """Return the key of a log row in `days`, the module last: that of its card unless one is given."""
    none = f"{row}.kind <> 'review' OR {row}.elapsed_days < 1 OR coalesce({row}.before_interval_days, 0) < 1"
    spell = f"CASE WHEN {none} THEN 0 WHEN {row}.before_interval_days < 21 THEN 1 ELSE 2 END"
    own = module or f"coalesce((SELECT c.module FROM cards c WHERE c.id = {row}.card), '')"
    return f"{row}.study_day, {row}.kind, {spell}, {row}.rating, {row}.clock_ahead <> 0, {own}"


def _move(card: str, module: str, sign: str) -> str:
    """Return what adds a card's answers to a module, or takes them away."""
    return (
        f"INSERT INTO days SELECT {_day('r', module)}, {sign}count(*), {sign}sum(min(r.duration_ms, 60000)) "
        f"FROM reviews r WHERE r.card = {card} AND {_STANDS} GROUP BY 1, 2, 3, 4, 5 "
        "ON CONFLICT DO UPDATE SET n = n + excluded.n, ms = ms + excluded.ms;"
    )


DAYS = (
    "DROP TRIGGER days_add",
    "DROP TRIGGER days_void",
    "DROP TABLE days",
    """
    CREATE TABLE days (
        study_day INTEGER NOT NULL,
        kind TEXT NOT NULL,
        spell INTEGER NOT NULL,
        rating INTEGER NOT NULL,
        ahead INTEGER NOT NULL,
        module TEXT NOT NULL,
        n INTEGER NOT NULL,
        ms INTEGER NOT NULL,
        PRIMARY KEY (study_day, kind, spell, rating, ahead, module)
    ) WITHOUT ROWID
    """,
    f"INSERT INTO days SELECT {_day('r')}, count(*), sum(min(r.duration_ms, 60000)) FROM reviews r "
    f"WHERE {_STANDS} GROUP BY 1, 2, 3, 4, 5, 6",
    f"""
    CREATE TRIGGER days_add AFTER INSERT ON reviews
    WHEN NEW.rating > 0 AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = NEW.uid)
    BEGIN
        INSERT INTO days VALUES ({_day("NEW")}, 1, min(NEW.duration_ms, 60000))
        ON CONFLICT DO UPDATE SET n = n + 1, ms = ms + excluded.ms;
    END
    """,
    f"""
    CREATE TRIGGER days_void AFTER INSERT ON reviews
    WHEN NEW.voids IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = NEW.voids AND v.uid <> NEW.uid)
    BEGIN
        UPDATE days SET n = n - 1,
            ms = ms - (SELECT min(r.duration_ms, 60000) FROM reviews r WHERE r.uid = NEW.voids)
        WHERE (study_day, kind, spell, rating, ahead, module) =
            (SELECT {_day("r")} FROM reviews r WHERE r.uid = NEW.voids AND r.rating > 0);
    END
    """,
    "CREATE TRIGGER days_moved AFTER UPDATE OF module ON cards WHEN OLD.module <> NEW.module "
    f"BEGIN {_move('NEW.id', 'OLD.module', '-')} {_move('NEW.id', 'NEW.module', '')} END",
    "CREATE TRIGGER days_found AFTER INSERT ON cards WHEN EXISTS (SELECT 1 FROM reviews r WHERE r.card = NEW.id) "
    f"BEGIN {_move('NEW.id', _NOWHERE, '-')} {_move('NEW.id', 'NEW.module', '')} END",
    "CREATE TRIGGER days_lost AFTER DELETE ON cards WHEN EXISTS (SELECT 1 FROM reviews r WHERE r.card = OLD.id) "
    f"BEGIN {_move('OLD.id', 'OLD.module', '-')} {_move('OLD.id', _NOWHERE, '')} END",
)


def upgrade() -> None:
    """Create the tables, and fill those that follow from others."""
    connection = op.get_bind()
    for statement in (*STATEMENTS, *DUE, *DAYS):
        connection.exec_driver_sql(statement)
