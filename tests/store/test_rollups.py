from __future__ import annotations

import random
from datetime import date, datetime, timezone
from pathlib import Path

import pytest

from studyapp.core.reviews import Kind
from studyapp.store.database import Store, open_store
from studyapp.store.logrows import INSERT, row_values
from tests.store.build import DAY, NOW_MS, a_row, answer, in_review, undo, with_cards


def _days(store: Store) -> list[tuple[int, ...]]:
    with store.read() as connection:
        return [
            tuple(row) for row in connection.exec_driver_sql("SELECT * FROM days WHERE n > 0 ORDER BY 1, 2, 3")
        ]


def _study(store: Store, *, seed: int, answers: int = 60) -> None:
    """Answer and undo at random, over some weeks, with the odd clock that ran ahead."""
    draw = random.Random(seed)
    for step in range(answers):
        if draw.random() < 0.2:
            undo(store, study_day=DAY + step)
            continue
        interval = draw.choice([0, 1, 20, 21, 300])
        answer(
            store,
            draw.choice("abc"),
            rating=draw.randint(1, 4),
            kind=draw.choice([Kind.REVIEW, Kind.REVIEW, Kind.LEARN, Kind.CRAM]),
            study_day=DAY + step // 4,
            elapsed_days=draw.choice([0, 1, 9]),
            retrievability=draw.choice([None, 0.0, 0.5, 0.905, 0.99, 0.9995, 1.0]),
            duration_ms=draw.choice([0, 5_000, 60_000, 900_000]),
            clock_ahead=draw.random() < 0.1,
            after=in_review(DAY + step // 4 + interval, day=DAY + step // 4, reps=step),
        )


@pytest.mark.parametrize("seed", range(4))
def test_the_rollups_are_the_log_after_any_answers_and_undos(store: Store, seed: int) -> None:
    with_cards(store, *"abc")

    _study(store, seed=seed)

    assert store.check_rollups() == []
    kept = _days(store)
    store.rebuild_rollups()
    assert _days(store) == kept


def test_rows_that_arrive_in_any_order_are_rolled_up_the_same(tmp_path: Path, store: Store) -> None:
    with_cards(store, *"abc")
    _study(store, seed=7)
    rows = store.reviews(effective_only=False)
    assert any(row.voids for row in rows)
    random.Random(1).shuffle(rows)

    with open_store(tmp_path / "other" / "store.db", now_ms=NOW_MS) as other:
        with other.write() as connection:
            for row in rows:
                connection.exec_driver_sql(
                    INSERT.replace("INSERT", "INSERT OR IGNORE"), row_values(row, row.at_ms)
                )
        with_cards(other, *"abc")  # the answers may be here before their cards
        assert _days(other) == _days(store)
        assert other.check_rollups() == []
        assert other.check_rollups() == []


def test_an_answer_taken_back_on_two_machines_leaves_once(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a")
    row = answer(store, "b")
    for uid in ("1" * 32, "2" * 32):
        taken = a_row("b", rating=0, kind=Kind.UNDO, voids=row.uid, uid=uid, device="f" * 32, showing="")
        with store.write() as connection:
            connection.exec_driver_sql(INSERT, row_values(taken, NOW_MS))

    assert store.active_days() == {DAY: 1}
    assert store.check_rollups() == []


def test_a_rollup_that_drifted_is_named_and_mended(store: Store) -> None:
    with_cards(store, "a")
    answer(store, kind=Kind.REVIEW, elapsed_days=2, retrievability=0.8)
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE days SET n = n + 1")
        connection.exec_driver_sql("UPDATE forecasts SET sum_r = sum_r + 0.1")

    assert store.check_rollups() == [
        "The figures of 1 study day differ from the log.",
        "The forecasts of 1 weeks differ from the log.",
    ]
    store.rebuild_rollups()
    assert store.check_rollups() == []


def test_d05_a_store_of_the_first_schema_gets_its_rollups_from_its_log(tmp_path: Path) -> None:
    path = tmp_path / "old" / "store.db"
    # an upgrade always goes to the newest script, so the old store is made by taking the new parts away
    with open_store(path, now_ms=NOW_MS) as store:
        with_cards(store, *"abc")
        _study(store, seed=3)
        kept = _days(store)
        with store.write() as connection:
            triggers = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()
            for name in [row[0] for row in triggers]:
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
            for column in ("due_day", "due_at_ms"):
                name = f"memory_{column.removesuffix('_ms')}"
                connection.exec_driver_sql(f"DROP INDEX {name}")
                connection.exec_driver_sql(f"CREATE INDEX {name} ON memory ({column})")
            for column in ("away_until", "module"):
                connection.exec_driver_sql(f"ALTER TABLE memory DROP COLUMN {column}")
            later = "day_notes passports corrections card_marks rewrites challenges unseen"
            for table in ("days", "forecasts", "parameters", *later.split()):
                connection.exec_driver_sql(f"DROP TABLE {table}")
            connection.exec_driver_sql("DROP INDEX cards_seen")
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")

    with open_store(path, now_ms=NOW_MS) as upgraded:
        assert _days(upgraded) == kept
        assert upgraded.check_rollups() == []
        answer(upgraded, "a")
        assert upgraded.check_rollups() == []


def test_a01_the_days_of_the_rollup_are_the_frozen_ones_across_a_clock_change(store: Store) -> None:
    with_cards(store, "a")
    first = datetime(2026, 10, 22, 2, 30, tzinfo=timezone.utc)  # 04:30 in Paris, half an hour into the day
    for passed in range(3):
        day = first.date().toordinal() + passed
        answer(store, study_day=day, at_ms=int(first.timestamp() * 1000) + passed * 86_400_000, offset_min=120)

    after = date(2026, 10, 27).toordinal()
    answer(store, study_day=after, at_ms=int(datetime(2026, 10, 27, 9, tzinfo=timezone.utc).timestamp()) * 1000)

    assert store.active_days() == dict.fromkeys([*range(after - 5, after - 2), after], 1)
