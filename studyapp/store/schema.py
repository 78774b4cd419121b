"""The tables: what a store file holds, in SQLAlchemy Core.

All instants are UTC integer milliseconds, all study days proleptic ordinals (integers), so that nothing can lose a
time zone on the way through SQLite. `reviews` is append-only and the truth; `memory` is derived from it. The
migrations spell the same tables out again, frozen; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

from studyapp.store.columns import HIDDEN, MEMORY_FIELDS

metadata = MetaData()

_REAL = frozenset({"stability", "difficulty"})
_FILLED = frozenset({"state", "reps", "lapses", "interval_days"})


def _memory_columns(prefix: str = "") -> list[Column[object]]:
    return [
        Column(
            prefix + name, Float() if name in _REAL else Integer(), nullable=bool(prefix) or name not in _FILLED
        )
        for name in MEMORY_FIELDS
    ]


meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

devices = Table(
    "devices",
    metadata,
    Column("device", LargeBinary, primary_key=True),  # 16 random bytes
    Column("fingerprint", Text, nullable=False),
    Column("since_ms", Integer, nullable=False),
)

modules = Table(
    "modules",
    metadata,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("source_hash", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("hidden", Integer, nullable=False),
    Column("saved_at_ms", Integer, nullable=False),
)

sections = Table(
    "sections",
    metadata,
    Column("module", Text, ForeignKey("modules.id"), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("ordinal", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("experiments", Text, nullable=False),  # JSON list
    Column("line", Integer, nullable=False),
)

readings = Table(
    "readings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("module", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("at_ms", Integer, nullable=False),
    Column("study_day", Integer, nullable=False),
)
Index("readings_by_section", readings.c.module, readings.c.section, readings.c.at_ms)

cards = Table(
    "cards",
    metadata,
    Column("id", Text, primary_key=True),
    Column("module", Text, ForeignKey("modules.id"), nullable=False),
    Column("section", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("key_points", Text, nullable=False),  # JSON list
    Column("experiments", Text, nullable=False),  # JSON list
    Column("tags", Text, nullable=False),  # JSON list
    Column("path", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Column("text_hash", Text, nullable=False),
    Column("explicit_id", Integer, nullable=False),
    Column("hidden", Integer, nullable=False),
    Column("suspended", Integer, nullable=False, server_default="0"),
    Column("buried_until_day", Integer),
)
Index("cards_by_module", cards.c.module, cards.c.ordinal)
Index("cards_by_text", cards.c.text_hash)
# statistics join every card; this keeps their texts out of it
Index("cards_seen", cards.c.id, cards.c.module, cards.c.hidden, cards.c.suspended)

memory = Table(
    "memory",
    metadata,
    # no foreign key: a merged log may know cards that this machine has not imported yet
    Column("card", Text, primary_key=True),
    *_memory_columns(),
    Column("leech", Integer, nullable=False),
    # kept by triggers, so that what is due is counted without looking at a single card
    Column("away_until", Integer, nullable=False, server_default=str(HIDDEN)),
    Column("module", Text, nullable=False, server_default=""),
)
# what orders reviews is in the index: ten thousand due ones are compared without reading their rows
Index(
    "memory_due_day",
    *(memory.c[name] for name in ("due_day", "away_until", "last_day", "stability")),
    sqlite_where=text("due_day IS NOT NULL"),
)
Index("memory_due_at", memory.c.due_at_ms, memory.c.away_until, sqlite_where=text("due_at_ms IS NOT NULL"))

# The cards without a memory, in authored order; kept by triggers.
unseen = Table(
    "unseen",
    metadata,
    Column("module", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("card", Text, primary_key=True),
    sqlite_with_rowid=False,
)

reviews = Table(
    "reviews",
    metadata,
    # 16 bytes rather than 32 hex digits: a log may grow to a million rows
    Column("uid", LargeBinary, primary_key=True),
    Column("device", LargeBinary, nullable=False),
    Column("counter", Integer, nullable=False),
    Column("card", Text, nullable=False),
    Column("rating", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at_ms", Integer, nullable=False),
    # at_ms made monotone along the device's counter: the replay order is (ordered_ms, device, counter)
    Column("ordered_ms", Integer, nullable=False),
    Column("offset_min", Integer, nullable=False),
    Column("zone", Text, nullable=False),
    Column("study_day", Integer, nullable=False),
    Column("elapsed_days", Integer, nullable=False),
    *_memory_columns("before_"),
    *_memory_columns("after_"),
    Column("retrievability", Float),
    Column("duration_ms", Integer, nullable=False),
    Column("showing", Text),
    Column("run", Text),
    Column("voids", LargeBinary),
    Column("parameters", Text, nullable=False),
    Column("text_hash", Text, nullable=False),
    Column("clock_ahead", Integer, nullable=False),
    Column("action", Text, nullable=False),
    CheckConstraint("rating BETWEEN 0 AND 4", name="rating_range"),
)
Index("reviews_voids", reviews.c.voids, sqlite_where=text("voids IS NOT NULL"))
Index("reviews_by_device", reviews.c.device, reviews.c.counter)
# every index costs an answer one more page to write; this one also keeps a showing from being stored twice
Index("reviews_by_card", reviews.c.card, reviews.c.showing, unique=True)
Index("reviews_by_day", reviews.c.study_day, reviews.c.kind, reviews.c.rating, reviews.c.clock_ahead)

runs = Table(
    "runs",
    metadata,
    Column("uid", Text, primary_key=True),
    Column("experiment", Text, nullable=False),
    Column("card", Text),
    Column("controls", Text, nullable=False),  # JSON object, keys sorted
    Column("device", Text, nullable=False),  # torch device type
    Column("facts", Text, nullable=False),  # JSON object
    Column("started_at_ms", Integer, nullable=False),
    Column("study_day", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("outcome", Text),
    Column("measured", Float),
    Column("unit", Text, nullable=False),
    Column("because", Text, nullable=False),
    Column("low", Float),
    Column("high", Float),
    Column("never", Integer, nullable=False),
    CheckConstraint("state IN ('done', 'cancelled', 'failed', 'cut')", name="run_state"),
)
Index("runs_by_experiment", runs.c.experiment, runs.c.started_at_ms)

points = Table(
    "points",
    metadata,
    Column("run", Text, ForeignKey("runs.uid"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("series", Text, nullable=False),
    Column("x", Float),  # NULL stands for nan
    Column("y", Float),
    Column("low", Float),
    Column("high", Float),
    Column("repeats", Integer, nullable=False),
    Column("settled", Integer, nullable=False),
    Column("basis", Text, nullable=False),
)

predictions = Table(
    "predictions",
    metadata,
    Column("uid", Text, primary_key=True),
    Column("run", Text, ForeignKey("runs.uid")),
    Column("experiment", Text, nullable=False),
    Column("controls", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("value", Float),  # NULL stands for "never"
    Column("sure", Text, nullable=False),
    Column("low", Float),
    Column("high", Float),
    Column("made_at_ms", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("closeness", Text),
    Column("factor", Float),
    Column("inside", Integer),
)
Index("predictions_by_trial", predictions.c.experiment, predictions.c.device, predictions.c.controls)
Index("predictions_by_run", predictions.c.run)

# Roll-ups of `reviews`, kept by triggers in the same transaction; `store/rollups.py` says what they hold.
days = Table(
    "days",
    metadata,
    Column("study_day", Integer, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("spell", Integer, primary_key=True),  # 0 not a recall after a day or more, 1 young, 2 mature
    Column("rating", Integer, primary_key=True),
    Column("ahead", Integer, primary_key=True),
    Column("module", Text, primary_key=True),  # of the card now, "" for one that is not here
    Column("n", Integer, nullable=False),
    Column("ms", Integer, nullable=False),
    sqlite_with_rowid=False,
)

forecasts = Table(
    "forecasts",
    metadata,
    Column("week", Integer, primary_key=True),  # study day / 7
    Column("bin", Integer, primary_key=True),  # lower end of the forecast chance, in thousandths
    Column("passed", Integer, primary_key=True),
    Column("n", Integer, nullable=False),
    Column("sum_r", Float, nullable=False),
    sqlite_with_rowid=False,
)

parameters = Table(
    "parameters",
    metadata,
    Column("key", Text, primary_key=True),
    Column("numbers", Text, nullable=False),  # JSON list
    Column("fitted_at_ms", Integer, nullable=False),
    Column("reviews", Integer, nullable=False),
    Column("held_out", Integer, nullable=False),
    Column("loss_before", Float),
    Column("loss_after", Float),
    Column("replaces", Text, nullable=False),  # key of the set before it, "" for the defaults
)

day_notes = Table(
    "day_notes",
    metadata,
    Column("study_day", Integer, primary_key=True),
    Column("kind", Text, primary_key=True),  # "neutral" (nothing to study), "rest" (planned), "trial" (the day's)
    Column("value", Text, nullable=False),
    Column("at_ms", Integer, nullable=False),
    sqlite_with_rowid=False,
)

passports = Table(
    "passports",
    metadata,
    Column("uid", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),  # JSON object: what the machine and its software are
    Column("device", Text, nullable=False),
    Column("taken_at_ms", Integer, nullable=False),
    Column("study_day", Integer, nullable=False),
    Column("content", Text, nullable=False),  # JSON object: the measured figures with their units
)
Index("passports_by_time", passports.c.device, passports.c.taken_at_ms)

corrections = Table(
    "corrections",
    metadata,
    Column("uid", Text, primary_key=True),
    Column("card", Text, nullable=False),
    Column("run", Text),  # the run that contradicts the card
    Column("text", Text, nullable=False),
    Column("prompt", Text, nullable=False),  # the card as it was when it was corrected
    Column("answer", Text, nullable=False),
    Column("written_at_ms", Integer, nullable=False),
    Column("withdraws", Text),  # uid of the correction this row takes back
)

card_marks = Table(
    "card_marks",
    metadata,
    Column("card", Text, primary_key=True),
    Column("name", Text, primary_key=True),  # "tag:NAME" or "flag:COLOUR"; the latest mark counts
    Column("is_on", Integer, nullable=False),
    Column("at_ms", Integer, nullable=False),
    sqlite_with_rowid=False,
)
Index("card_marks_by_name", card_marks.c.name, card_marks.c.is_on)

# Rewritten cards whose learner has not yet said whether the progress still fits.
rewrites = Table(
    "rewrites",
    metadata,
    Column("card", Text, primary_key=True),
    Column("old_prompt", Text, nullable=False),
    Column("old_answer", Text, nullable=False),
    Column("new_hash", Text, nullable=False),
    Column("likeness", Float, nullable=False),  # 0 to 1
    Column("at_ms", Integer, nullable=False),
)

challenges = Table(
    "challenges",
    metadata,
    Column("uid", Text, primary_key=True),
    Column("sender", Text, nullable=False),
    Column("opened_at_ms", Integer, nullable=False),
    Column("content", Text, nullable=False),  # JSON object: what the friend's file says
    Column("answers", Text, nullable=False),  # JSON object: what was predicted here
)
