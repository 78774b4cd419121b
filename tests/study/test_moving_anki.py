"""Anki packages in and out of a real store: identity, history, memory, and nothing half done."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from studyapp.core.days import iso_to_day
from studyapp.core.errors import DeckError, UsageError
from studyapp.core.reviews import Kind, Memory, Rating, State
from studyapp.decks.anki.history import Historian
from studyapp.decks.load import load
from studyapp.store import bulk
from studyapp.study.browsing import find_cards
from studyapp.study.desk import Desk, Options, open_desk
from studyapp.study.exporting import export
from studyapp.study.moving_anki import export_apkg, import_apkg
from studyapp.study.rebuilding import rebuild
from tests.decks.anki.build import CREATED_S, PAIR, card, log, note, package
from tests.study.conftest import Watch

CASES = Path(__file__).parents[1] / "decks" / "cases"
DAY_MS = 86_400_000
DAY_0 = iso_to_day("2026-01-01")
Desks = Callable[..., Desk]


def at(day: int, hour: int = 12) -> int:
    """Return an instant of a day of the collections, UTC milliseconds."""
    return CREATED_S * 1000 + day * DAY_MS + hour * 3_600_000


def texts(desk: Desk) -> dict[str, str]:
    return {one.prompt: one.answer for one in desk.store.cards() if one.path.startswith("anki:")}


def other_desk(folder: Path, watch: Watch) -> Desk:
    return open_desk(folder / "study.db", clock=watch, options=Options(), status_path=folder / "status.json")


def rate(desk: Desk, watch: Watch, card_id: str) -> None:
    from studyapp.core.reviews import ReviewRow
    from studyapp.core.scheduling import answer, kind_of

    stored, now = desk.store.card(card_id), watch()
    assert stored is not None
    done = answer(card_id, stored.memory, Rating.GOOD, now.at_ms, now.study_day, desk.options.policy)
    row = ReviewRow(
        "", "", 0, card_id, 3, kind_of(stored.memory), now.at_ms, now.offset_min, now.zone_name, now.study_day,
        done.elapsed_days, stored.memory, done.after, done.retrievability, 4_000,
    )  # fmt: skip
    desk.store.record(row, expected=stored.memory)


def test_f05_a_newer_version_changes_texts_and_keeps_progress(desk_of: Desks, watch: Watch) -> None:
    watch.set("2026-12-02T10:00")
    desk = desk_of()
    import_apkg(desk, CASES / "F01_legacy.apkg")
    ids = [one.id for one in desk.store.cards("gpu")]
    for card_id in ids:
        rate(desk, watch, card_id)

    again = import_apkg(desk, CASES / "F01_legacy.apkg")
    assert (again.new, again.changed, again.unchanged, again.older) == (0, 0, 4, 0)

    newer = import_apkg(desk, CASES / "F05_version2.apkg")
    assert (newer.new, newer.changed, newer.unchanged, newer.older) == (1, 1, 3, 0)
    assert "More throughput > latency  \nsecond line\n- one\n- two" in texts(desk).values()

    older = import_apkg(desk, CASES / "F01_legacy.apkg")
    assert (older.new, older.changed, older.unchanged, older.older) == (0, 0, 3, 1)
    assert older.remarks[0].startswith("The package is older than what you have: 1 card kept the newer text.")
    assert "More throughput > latency  \nsecond line\n- one\n- two" in texts(desk).values()

    forced = import_apkg(desk, CASES / "F01_legacy.apkg", older=True)
    assert forced.changed == 1
    assert "Throughput > latency  \nsecond line\n- one\n- two" in texts(desk).values()
    assert all(len(desk.store.reviews(card_id)) == 1 for card_id in ids)


def test_f01_a_dry_run_says_the_same_and_stores_nothing(desk_of: Desks) -> None:
    desk = desk_of()

    rehearsed = import_apkg(desk, CASES / "F01_legacy.apkg", dry_run=True)

    assert texts(desk) == {}
    assert [module.id for module in desk.store.modules()] == ["demo"]
    assert import_apkg(desk, CASES / "F01_legacy.apkg").count_line == rehearsed.count_line
    assert rehearsed.count_line == (
        "4 notes, 5 cards: 4 made (4 new, 0 changed, 0 unchanged), 1 skipped (1 empty front); 0 reviews added"
    )


@pytest.mark.parametrize("name", ["F03_not_a_zip", "F03_truncated", "F03_no_collection"])
def test_f03_a_refused_package_leaves_store_and_folder_as_they_were(name: str, desk_of: Desks) -> None:
    desk = desk_of()
    folder = desk.store.path.parent
    before = {path.name for path in folder.iterdir()}, desk.store.cards()

    with pytest.raises(DeckError):
        import_apkg(desk, CASES / f"{name}.apkg")

    assert ({path.name for path in folder.iterdir()}, desk.store.cards()) == before


def test_f02_no_card_at_all_is_an_error_exit_with_its_reasons(desk_of: Desks, tmp_path: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ['<img src="a.png">', "x"])], [card(1, 1)])

    report = import_apkg(desk_of(), path)

    assert report.exit_code == 1
    assert report.count_line == (
        "1 note, 1 card: 0 made (0 new, 0 changed, 0 unchanged), 1 skipped (1 need a picture); 0 reviews added"
    )


def test_imported_cards_stay_when_the_program_starts_again(desk_of: Desks) -> None:
    import_apkg(desk_of(), CASES / "F01_legacy.apkg")

    assert len(texts(desk_of())) == 4


def test_imported_cards_wait_for_no_reading(desk_of: Desks, watch: Watch) -> None:
    watch.set("2026-12-02T10:00")
    desk = desk_of()
    import_apkg(desk, CASES / "F01_legacy.apkg")

    waiting = [row.card for row in desk.store.new_rows(100, study_day=watch().study_day)]

    assert len([card_id for card_id in waiting if card_id.startswith("anki-")]) == 4


def test_the_whole_past_comes_along_and_ends_in_ankis_memory(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    watch.set("2026-03-02T10:00")
    logs = [
        log(at(10), 1, 3, -600, 0), log(at(10) + 700_000, 1, 3, 2, 0), log(at(12), 1, 1, -600, 1),
        log(at(12) + 700_000, 1, 3, 3, 2), log(at(15), 1, 3, 45, 1, factor=701),
    ]  # fmt: skip
    data = {"s": 44.5, "d": 6.41, "dr": 0.9, "decay": 0.1542, "lrt": at(15) // 1000}
    studied = card(1, 1, type=2, queue=2, due=60, ivl=45, factor=2500, reps=5, lapses=1, data=data)
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [studied], logs)
    desk = desk_of()

    report = import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    assert report.reviews == 5
    assert stored.memory == Memory(
        State.REVIEW, None, 44.5, 6.41, DAY_0 + 60, None, DAY_0 + 15, reps=5, lapses=1, interval_days=45
    )
    rows = [row for row in desk.store.reviews(stored.id) if row.rating]
    assert [(row.at_ms, row.rating, row.kind, row.duration_ms) for row in rows] == [
        (at(10), 3, Kind.LEARN, 4_000),
        (at(10) + 700_000, 3, Kind.LEARN, 4_000),
        (at(12), 1, Kind.REVIEW, 4_000),
        (at(12) + 700_000, 3, Kind.RELEARN, 4_000),
        (at(15), 3, Kind.REVIEW, 4_000),
    ]
    assert [row.study_day - DAY_0 for row in rows] == [10, 10, 12, 12, 15]
    assert [row.elapsed_days for row in rows] == [0, 0, 2, 0, 3]
    assert rows[-1].after is not None
    assert rows[-1].after.difficulty == pytest.approx(6.409)
    assert rebuild(desk).equal
    assert import_apkg(desk, path).reviews == 0


def test_study_days_are_counted_in_the_learners_zone_with_the_rollover(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    watch.set("2026-11-20T10:00", zone="America/Denver")
    # 09:59 and 10:00 UTC on 15 July are 03:59 and 04:00 in Denver; on 1 November the clock goes back at 08:00 UTC
    july = iso_to_day("2026-07-15") - DAY_0
    november = iso_to_day("2026-11-01") - DAY_0
    times = [at(july, 10) - 60_000, at(july, 10), at(november, 11) - 60_000, at(november, 11)]
    cards = [card(n, n, type=2, queue=2, due=400, ivl=1, reps=1) for n in range(4)]
    notes = [note(n, [f"q{n}", "a"]) for n in range(4)]
    desk = desk_of()

    import_apkg(desk, package(tmp_path / "x.apkg", notes, cards, [log(t, n, 3) for n, t in enumerate(times)]))

    rows = [row for n in range(4) for row in desk.store.reviews(f"anki-guid{n}:1") if row.rating]
    assert [row.study_day - DAY_0 for row in rows] == [july - 1, july, november - 1, november]
    assert [row.offset_min for row in rows] == [-360, -360, -420, -420]
    assert {row.zone for row in rows} == {"America/Denver"}


def test_without_ankis_state_the_log_is_replayed(desk_of: Desks, tmp_path: Path) -> None:
    days = [(15, 0), (15, 0), (13, 1), (10, 1), (2, 1)]
    ratings = [1, 3, 3, 3, 3]
    logs = [
        log(at(40 - ago) + 60_000 * n, 1, ease, 1, kind, factor=2500)
        for n, ((ago, kind), ease) in enumerate(zip(days, ratings, strict=True))
    ]
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=2, queue=2, due=60, ivl=22, reps=5)], logs
    )
    desk = desk_of()

    import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    expected = replayed([(1, 0), (3, 0), (3, 2), (3, 3), (3, 8)])
    assert (stored.memory.stability, stored.memory.difficulty) == pytest.approx(expected)
    assert (stored.memory.due_day, stored.memory.interval_days) == (DAY_0 + 60, 22)


def replayed(history: list[tuple[int, int]]) -> tuple[float, float]:
    """Return what fsrs itself makes of (rating, days since the answer before)."""
    from datetime import datetime, timedelta, timezone

    import fsrs

    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    one, now = fsrs.Card(card_id=1), datetime(2026, 1, 1, tzinfo=timezone.utc)
    for rating, days in history:
        now += timedelta(days=days)
        one, _ = scheduler.review_card(one, fsrs.Rating(rating), now)
    assert one.stability is not None
    assert one.difficulty is not None
    return one.stability, one.difficulty


def test_cram_and_what_came_before_a_reset_do_not_count_for_memory(desk_of: Desks, tmp_path: Path) -> None:
    logs = [
        log(at(1), 1, 3, 9, 0), log(at(9), 1, 3, 30, 1), log(at(10), 1, 0, 0, 4, factor=0),
        log(at(20), 1, 3, 1, 0), log(at(21), 1, 3, 5, 1), log(at(22), 1, 1, 0, 3, factor=0),
        log(at(23), 1, 0, 9, 4, factor=2500),
    ]  # fmt: skip
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=2, queue=2, due=40, ivl=5, reps=2)], logs
    )
    desk = desk_of()

    import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    assert (stored.memory.stability, stored.memory.difficulty) == pytest.approx(replayed([(3, 0), (3, 1)]))
    kinds = [(row.kind, row.action) for row in desk.store.reviews(stored.id)]
    assert kinds[2:] == [
        (Kind.MANUAL, "reset"),
        (Kind.LEARN, ""),
        (Kind.REVIEW, ""),
        (Kind.CRAM, ""),
        (Kind.MANUAL, "reschedule"),
        (Kind.MANUAL, "import"),
    ]
    assert rebuild(desk).equal


def test_without_a_log_the_sm2_ease_and_interval_are_converted(desk_of: Desks, tmp_path: Path) -> None:
    path = package(
        tmp_path / "x.apkg",
        [note(1, ["q", "a"])],
        [card(1, 1, type=2, queue=2, due=40, ivl=10, factor=2500, reps=4)],
    )
    desk = desk_of()

    import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    assert (stored.memory.stability, stored.memory.difficulty) == pytest.approx((10, 6.91406), rel=1e-5)
    assert stored.memory.last_day == DAY_0 + 30


def test_suspended_buried_flagged_and_filtered_cards_keep_their_marks(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    today = watch().study_day - DAY_0
    mod = watch().at_ms // 1000 - 3_600
    notes = [note(n, [f"q{n}", "a"]) for n in (1, 2, 3, 4)]
    cards = [
        card(1, 1, queue=-1, mod=mod, flags=1),
        card(2, 2, type=2, queue=-3, due=today, ivl=4, reps=3, mod=mod),
        card(3, 3, type=2, queue=2, due=-100_000, ivl=4, reps=3, did=9, odid=1, odue=today + 2),
        card(4, 4, type=1, queue=1, due=at(today, 13) // 1000, left=1001, reps=1),
    ]
    desk = desk_of()

    import_apkg(desk, package(tmp_path / "x.apkg", notes, cards, decks={1: "Deck", 9: "Cram"}))

    one, two, three, four = (desk.store.card(f"anki-guid{n}:1") for n in (1, 2, 3, 4))
    assert one is not None
    assert two is not None
    assert three is not None
    assert four is not None
    assert (one.suspended, one.memory.state) == (True, State.NEW)
    assert two.buried_until_day == watch().study_day + 1
    assert (three.memory.due_day, three.module) == (watch().study_day + 2, "deck")
    assert (four.memory.state, four.memory.step, four.memory.due_at_ms) == (State.LEARNING, 1, at(today, 13))
    assert rebuild(desk).equal
    assert [card.id for card in find_cards(desk, "flag:red")] == ["anki-guid1:1"]


def test_reviews_from_the_future_are_left_out_and_said(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    ahead = watch().at_ms + 3 * DAY_MS
    path = package(
        tmp_path / "x.apkg",
        [note(1, ["q", "a"])],
        [card(1, 1, type=2, queue=2, due=80, ivl=3, reps=2)],
        [log(at(50), 1, 3), log(ahead, 1, 3), log(-5, 1, 3)],
    )

    report = import_apkg(desk_of(), path)

    assert (report.reviews, report.reviews_left_out) == (1, 2)
    assert any("impossible time" in remark for remark in report.remarks)


def test_an_answer_given_here_stands_on_what_was_imported(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    first = package(
        tmp_path / "one.apkg",
        [note(1, ["q", "a"])],
        [card(1, 1, type=2, queue=2, due=55, ivl=5, reps=1, data={"s": 5.0, "d": 5.0, "lrt": at(50) // 1000})],
        [log(at(50), 1, 3, 5)],
    )
    desk = desk_of()
    import_apkg(desk, first)
    rate(desk, watch, "anki-guid1:1")
    before = desk.store.card("anki-guid1:1")

    assert import_apkg(desk, first).reviews == 0

    assert before is not None
    assert desk.store.card("anki-guid1:1") == before
    assert before.memory.reps == 2
    assert rebuild(desk).equal


def test_undo_takes_back_what_was_done_here_and_never_ankis_reviews(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    desk = desk_of()
    rate(desk, watch, "a0" if desk.store.card("a0") else "demo/a0")
    late = watch().at_ms - 60_000
    watch.set("2026-03-02T11:00")
    path = package(
        tmp_path / "x.apkg",
        [note(1, ["q", "a"])],
        [card(1, 1, type=2, queue=2, due=70, ivl=5, reps=1)],
        [log(late + 1_800_000, 1, 3, 5)],
    )
    import_apkg(desk, path)
    now = watch()

    undone = desk.store.undo(
        at_ms=now.at_ms, offset_min=now.offset_min, zone=now.zone_name, study_day=now.study_day
    )

    assert undone is not None
    assert not undone.card.startswith("anki-")
    assert (
        desk.store.undo(at_ms=now.at_ms, offset_min=now.offset_min, zone=now.zone_name, study_day=now.study_day)
        is None
    )


def test_nothing_is_stored_when_the_store_fails_half_way(
    desk_of: Desks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of()
    path = package(
        tmp_path / "x.apkg",
        [note(1, ["q", "a"])],
        [card(1, 1, type=2, queue=2, due=70, ivl=5, reps=1)],
        [log(at(20), 1, 3)],
    )

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("studyapp.store.arrivals.add_reviews", fail)
    with pytest.raises(Exception, match="disk"):
        import_apkg(desk, path)

    assert texts(desk) == {}
    assert desk.store.reviews() == []


def test_many_rows_at_once_leave_the_same_store_as_row_by_row(
    desk_of: Desks, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [note(n, [f"q{n}", "a"]) for n in range(30)]
    cards = [card(n, n, type=2, queue=-(n % 2) or 2, due=70, ivl=5, reps=4) for n in range(25)]
    cards += [card(n, n) for n in range(25, 30)]
    logs = [log(at(5 * d) + n, n, 1 + (n + d) % 4, 5, 1 if d else 0) for n in range(25) for d in range(1, 9)]
    path = package(tmp_path / "x.apkg", notes, cards, logs)
    slow, fast = desk_of(), other_desk(tmp_path / "fast", watch)
    import_apkg(slow, path)
    monkeypatch.setattr(bulk, "MANY", 10)
    monkeypatch.setattr(bulk, "MANY_CARDS", 10)

    import_apkg(fast, path)

    def places(desk: Desk) -> list[object]:
        with desk.store.alone() as raw:
            unseen = raw.execute("SELECT * FROM unseen ORDER BY 1, 2, 3").fetchall()
            return [*unseen, *raw.execute("SELECT card, away_until, module FROM memory ORDER BY 1")]

    def schema(desk: Desk) -> list[object]:
        with desk.store.alone() as raw:
            return raw.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()

    with fast:
        assert fast.store.reviews() == slow.store.reviews()
        assert schema(fast) == schema(slow)
        assert places(fast) == places(slow)
        assert len([row for row in places(fast) if "anki-" in str(row)]) == 30
        assert fast.store.check_rollups() == []
        assert rebuild(fast).equal


def test_the_same_package_on_two_machines_has_the_same_rows(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    logs = [log(at(20), 1, 3), log(at(25), 1, 1)]
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=2, queue=2, due=70, ivl=5, reps=2)], logs
    )
    here, there = desk_of(), other_desk(tmp_path / "there", watch)

    import_apkg(here, path)
    import_apkg(there, path)

    with there:
        assert there.store.reviews() == here.store.reviews()


def test_a_deck_never_takes_the_place_of_a_lesson(desk_of: Desks, tmp_path: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)], decks={1: "Demo"})
    desk = desk_of()

    report = import_apkg(desk, path)

    assert report.modules == ("demo-anki",)
    assert len(desk.store.cards("demo")) == 6


def test_a_deck_with_a_name_of_any_script_goes_out_as_a_lesson_that_can_be_read(
    desk_of: Desks, tmp_path: Path
) -> None:
    desk = desk_of()
    import_apkg(desk, package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)], decks={1: "日本語"}))

    export(desk, tmp_path / "out.md", "日本語")

    assert load(tmp_path / "out.md")[0].problems == ()


def test_out_and_back_into_an_empty_store_gives_the_same_cards(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    desk = desk_of()
    notes = [note(1, ["France", "Paris", ""], PAIR), note(2, ["q", "<b>a</b>"])]
    import_apkg(desk, package(tmp_path / "x.apkg", notes, [card(1, 1, 0), card(2, 1, 1), card(3, 2)]))
    first = desk.store.cards()[0].id
    rate(desk, watch, first)

    written = export_apkg(desk, tmp_path / "out.apkg")

    with other_desk(tmp_path / "other", watch) as other:
        desk_lessons = {one.id for one in desk.store.cards() if not one.path.startswith("anki:")}
        assert written.reviews == 1
        report = import_apkg(other, tmp_path / "out.apkg")
        assert report.yours == len(desk_lessons)
        back = {one.id: (one.prompt, one.answer, one.key_points, one.memory) for one in other.store.cards()}
        assert back == {one.id: (one.prompt, one.answer, one.key_points, one.memory) for one in desk.store.cards()}
        assert [r.at_ms for r in other.store.reviews(first) if r.rating] == [watch().at_ms]
    assert import_apkg(desk, tmp_path / "out.apkg").reviews == 0


def test_a_card_edited_in_anki_comes_back_edited(desk_of: Desks, tmp_path: Path) -> None:
    import zipfile

    desk = desk_of()
    import_apkg(desk, package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)]))
    export_apkg(desk, tmp_path / "out.apkg", "deck")
    with zipfile.ZipFile(tmp_path / "out.apkg") as archive:
        (tmp_path / "c.anki2").write_bytes(archive.read("collection.anki21"))
    raw = sqlite3.connect(tmp_path / "c.anki2")
    raw.execute("UPDATE notes SET mod = mod + 100, flds = replace(flds, 'q' || char(31), '<b>Q</b>' || char(31))")
    raw.commit()
    raw.close()

    report = import_apkg(desk, tmp_path / "c.anki2")

    assert report.changed == 1
    assert texts(desk) == {"**Q**": "a"}


def test_an_export_never_replaces_a_file_and_names_an_unknown_module(desk_of: Desks, tmp_path: Path) -> None:
    there = tmp_path / "there.apkg"
    there.write_text("mine")
    desk = desk_of()

    with pytest.raises(UsageError, match="exists already"):
        export_apkg(desk, there)
    with pytest.raises(UsageError, match="no module 'x'"):
        export_apkg(desk, tmp_path / "new.apkg", "x")

    assert there.read_text() == "mine"
    assert not (tmp_path / "new.apkg").exists()


def test_the_story_of_a_new_card_is_empty(watch: Watch) -> None:
    from studyapp.core.policy import Policy
    from studyapp.decks.anki.calendar import Calendar
    from studyapp.decks.anki.reader import AnkiCard

    row = AnkiCard(1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "")

    story = Historian(Calendar(watch()), Policy(), DAY_0).story("x", row, [])

    assert (story.rows, story.marks, story.memory) == ([], [], Memory())


def test_a_record_with_answers_is_copied_before_an_import_changes_it(desk_of: Desks, watch: Watch) -> None:
    watch.set("2026-12-02T10:00")
    desk = desk_of()
    folder = desk.store.path.parent
    import_apkg(desk, CASES / "F01_legacy.apkg")
    assert list(folder.rglob("*before-import*")) == []
    rate(desk, watch, desk.store.cards("gpu")[0].id)

    import_apkg(desk, CASES / "F01_legacy.apkg")
    assert list(folder.rglob("*before-import*")) == []
    import_apkg(desk, CASES / "F05_version2.apkg")

    assert len(list(folder.rglob("*before-import*"))) == 1


def test_cards_from_anki_are_shown_on_a_machine_that_merges_them(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    from studyapp.study.merging import merge_file

    logs = [log(at(20), 1, 3), log(at(25), 1, 1)]
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=2, queue=2, due=70, ivl=5, reps=2)], logs
    )
    here = desk_of()
    with other_desk(tmp_path / "there", watch) as there:
        import_apkg(there, path)

    merge_file(here, tmp_path / "there" / "study.db")

    assert texts(here) == {"q": "a"}
    stored = here.store.card("anki-guid1:1")
    assert stored is not None
    assert stored.memory.due_day == DAY_0 + 70
    assert import_apkg(here, path).reviews == 0


def test_a_package_imported_in_two_zones_is_one_history_after_a_merge(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    from studyapp.study.merging import merge_file

    path = package(
        tmp_path / "x.apkg",
        [note(1, ["q", "a"])],
        [card(1, 1, type=2, queue=2, due=70, ivl=5, reps=2)],
        [log(at(20, 1), 1, 3), log(at(25, 1), 1, 1)],
    )
    here = desk_of()
    import_apkg(here, path)
    watch.set("2026-03-02T10:00", zone="Asia/Tokyo")
    with other_desk(tmp_path / "there", watch) as there:
        import_apkg(there, path)

    merge_file(here, tmp_path / "there" / "study.db")

    assert [row.at_ms for row in here.store.reviews("anki-guid1:1") if row.rating] == [at(20, 1), at(25, 1)]


def test_numbers_no_collection_can_hold_break_nothing(desk_of: Desks, tmp_path: Path) -> None:
    huge, wild = 2**62, {"s": 1e300, "d": -5, "lrt": 1e300}
    cards = [
        card(1, 1, type=2, queue=2, due=huge, ivl=huge, reps=huge, lapses=huge, data=wild),
        card(2, 2, type=1, queue=1, due=huge, left=-huge, mod=huge),
        card(3, 3, type=9, queue=-9, due=-huge),
    ]  # fmt: skip
    notes = [note(n, [f"q{n}", "a"]) for n in (1, 2, 3)]
    logs = [log(at(20), 1, 3, -huge, 0, factor=huge, time=huge), log(at(21), 1, 2, huge), log(huge, 2, 3)]
    desk = desk_of()

    report = import_apkg(desk, package(tmp_path / "x.apkg", notes, cards, logs))

    assert (report.new, report.reviews, report.reviews_left_out) == (3, 2, 1)
    assert rebuild(desk).equal


def test_a_log_that_begins_in_the_middle_begins_with_its_ease_and_interval(desk_of: Desks, tmp_path: Path) -> None:
    from studyapp.core.policy import Policy
    from studyapp.core.sm2 import memory_from_history, memory_from_sm2

    logs = [log(at(20), 1, 3, 12, 1, factor=2300), log(at(32), 1, 3, 28, 1, factor=2300)]
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=2, queue=2, due=70, ivl=28, reps=9)], logs
    )
    desk = desk_of()

    import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    start = memory_from_sm2(2.3, 12, 0.9, Policy().parameters)
    expected = memory_from_history([(3, 12)], Policy(), start)
    assert (stored.memory.stability, stored.memory.difficulty) == pytest.approx(expected)


def test_damaged_card_data_counts_as_none(desk_of: Desks, tmp_path: Path) -> None:
    broken = (*card(1, 1, type=2, queue=2, due=40, ivl=10, factor=2500, reps=4)[:-1], "{not json")
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [broken])
    desk = desk_of()

    import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    assert stored.memory.stability == pytest.approx(10)


def test_steps_of_a_day_and_more_are_due_when_their_day_begins(desk_of: Desks, tmp_path: Path) -> None:
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=1, queue=3, due=61, left=1001, reps=1)]
    )
    desk = desk_of()

    import_apkg(desk, path)

    stored = desk.store.card("anki-guid1:1")
    assert stored is not None
    assert stored.memory.due_at_ms == at(61, 4)


def test_resets_and_cram_go_out_and_come_back(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    logs = [
        log(at(1), 1, 3, 9, 0), log(at(10), 1, 0, 0, 4, factor=0), log(at(20), 1, 3, 1, 0),
        log(at(20), 2, 3, 4, 0), log(at(22) + 1, 1, 1, 0, 3, factor=0),
    ]  # fmt: skip
    for number, entry in enumerate(logs):
        logs[number] = (entry[0] + number, *entry[1:])
    notes = [note(1, ["q", "a"]), note(2, ["p", "b"])]
    cards = [card(n, n, type=2, queue=2, due=70, ivl=5, reps=1) for n in (1, 2)]
    desk = desk_of()
    import_apkg(desk, package(tmp_path / "x.apkg", notes, cards, logs))
    export_apkg(desk, tmp_path / "out.apkg", "deck")

    with other_desk(tmp_path / "other", watch) as other:
        import_apkg(other, tmp_path / "out.apkg")

        def told(one: Desk) -> list[tuple[object, ...]]:
            rows = [row for row in one.store.reviews() if row.card.startswith("anki-")]
            return [(r.card, r.at_ms, r.rating, r.kind, r.action) for r in rows if r.action != "import"]

        assert told(other) == told(desk)
        assert {row[3] for row in told(other)} == {Kind.LEARN, Kind.MANUAL, Kind.CRAM}


def test_two_answers_at_the_same_moment_both_go_out(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    desk = desk_of()
    for one in desk.store.cards("demo")[:2]:
        rate(desk, watch, one.id)

    assert export_apkg(desk, tmp_path / "out.apkg").reviews == 2

    before = desk.store.reviews()
    assert import_apkg(desk, tmp_path / "out.apkg").reviews == 0
    assert desk.store.reviews() == before


def test_a_lesson_whose_file_is_gone_comes_back_with_its_package(
    desk_of: Desks, tmp_path: Path, lesson_path: Path, watch: Watch
) -> None:
    desk = desk_of()
    rate(desk, watch, desk.store.cards("demo")[0].id)
    export_apkg(desk, tmp_path / "out.apkg", "demo")
    text = lesson_path.read_text(encoding="utf-8")
    lesson_path.write_text("---\nid: other\ntitle: Other\n---\n\n# Other\n\nText.\n", encoding="utf-8")
    gone = desk_of()
    assert gone.store.cards("demo") == []

    report = import_apkg(gone, tmp_path / "out.apkg")

    assert (report.changed, report.modules) == (6, ("demo",))
    assert len(desk_of().store.cards("demo")) == 6
    lesson_path.write_text(text, encoding="utf-8")
    back = desk_of().store.cards("demo")
    assert (len(back), back[0].memory.reps, back[0].path) == (6, 1, str(lesson_path))


def test_an_empty_record_and_a_place_that_cannot_be_written_are_said(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        export_apkg(desk_of(), tmp_path / "file" / "out.apkg")
    with other_desk(tmp_path / "bare", watch) as bare:
        for one in bare.store.modules():
            bare.store.hide_missing(set())
            assert one.id
        with pytest.raises(UsageError, match="no cards"):
            export_apkg(bare, tmp_path / "out.apkg")


def test_a_deck_that_grows_keeps_its_module(desk_of: Desks, tmp_path: Path) -> None:
    desk = desk_of()
    import_apkg(desk, package(tmp_path / "one.apkg", [note(1, ["q", "a"])], [card(1, 1)]))

    report = import_apkg(desk, package(tmp_path / "two.apkg", [note(2, ["p", "b"])], [card(2, 2)]))

    assert (report.new, report.modules) == (1, ("deck",))
    assert [(one.prompt, one.ordinal) for one in desk.store.cards("deck")] == [("q", 0), ("p", 1)]


def test_a_memory_without_a_log_goes_out_and_comes_back(
    desk_of: Desks, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [note(1, ["q", "a"]), note(2, ["p", "b"])]
    cards = [card(n, n, did=n, type=2, queue=2, due=70, ivl=5, reps=3, data={"s": 6.25, "d": 4.5}) for n in (1, 2)]
    desk = desk_of()
    import_apkg(desk, package(tmp_path / "x.apkg", notes, cards, decks={1: "One", 2: "Two"}))
    monkeypatch.setattr("studyapp.decks.anki.writer._hashed", lambda text: 1_500_000_000_000)

    export_apkg(desk, tmp_path / "out.apkg", "one")
    export_apkg(desk, tmp_path / "all.apkg")

    with other_desk(tmp_path / "other", watch) as other:
        import_apkg(other, tmp_path / "out.apkg")
        import_apkg(other, tmp_path / "all.apkg")
        for name in ("anki-guid1:1", "anki-guid2:1"):
            back, ours = other.store.card(name), desk.store.card(name)
            assert back is not None
            assert ours is not None
            assert (back.memory, back.path) == (ours.memory, ours.path)


def test_own_answers_that_come_back_through_anki_are_not_doubled_by_a_merge(
    desk_of: Desks, tmp_path: Path, watch: Watch
) -> None:
    from studyapp.study.merging import merge_file
    from studyapp.study.reviewing import Sitting

    here = desk_of(release="all")
    for _ in range(3):
        sitting = Sitting(here)
        for _ in range(3):
            showing = sitting.next()
            assert showing is not None
            sitting.grade(showing, Rating.GOOD, duration_ms=4_000)
            watch.now += timedelta(minutes=1)
        watch.now += timedelta(days=9)
    card_id = here.store.reviews()[0].card
    before = here.store.card(card_id)
    assert before is not None
    export_apkg(here, tmp_path / "out.apkg")
    with other_desk(tmp_path / "there", watch) as there:
        assert import_apkg(there, tmp_path / "out.apkg").reviews == 9
        rate(there, watch, card_id)

        merge_file(here, there.store.path)
        merge_file(there, here.store.path)
        merge_file(here, there.store.path)

        for desk in (here, there):
            standing = [row for row in desk.store.reviews() if row.rating]
            assert len(standing) == 10
            assert desk.store.check_rollups() == []
            assert rebuild(desk).equal
            after = desk.store.card(card_id)
            assert after is not None
            assert after.memory.reps == before.memory.reps + 1
        ours, theirs = (desk.store.reviews(effective_only=False) for desk in (here, there))
        assert {row.uid for row in ours} == {row.uid for row in theirs}
