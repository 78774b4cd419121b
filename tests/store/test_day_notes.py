"""Notes on study days: the latest counts, here and between machines."""

from __future__ import annotations

from studyapp.store.database import Store
from studyapp.store.exporting import marks, since
from tests.store.build import DAY, NOW_MS


def test_a_note_is_kept_with_its_day_and_replaces_the_one_before(store: Store) -> None:
    store.put_day_note(DAY, "rest", "on", at_ms=NOW_MS)
    store.put_day_note(DAY, "neutral", at_ms=NOW_MS)
    store.put_day_note(DAY, "rest", "off", at_ms=NOW_MS + 5)

    kept = [(note.study_day, note.kind, note.value) for note in store.day_notes()]
    assert kept == [(DAY, "neutral", ""), (DAY, "rest", "off")]


def test_a_range_and_a_kind_are_picked_both_ends_included(store: Store) -> None:
    store.put_day_notes([(DAY + n, "rest", "on") for n in range(4)] + [(DAY, "neutral", "")], at_ms=NOW_MS)

    assert [note.study_day for note in store.day_notes(DAY + 1, DAY + 2)] == [DAY + 1, DAY + 2]
    assert [note.kind for note in store.day_notes(DAY, DAY, "neutral")] == ["neutral"]


def test_a06_a_note_written_after_the_clock_was_set_back_still_counts(store: Store) -> None:
    store.put_day_note(DAY, "rest", "on", at_ms=NOW_MS)
    store.put_day_note(DAY, "rest", "off", at_ms=NOW_MS - 86_400_000)

    assert [note.value for note in store.day_notes()] == ["off"]


def test_notes_written_since_the_last_push_are_pushed_once(store: Store) -> None:
    store.put_day_note(DAY, "rest", "on", at_ms=NOW_MS)
    with store.read() as connection:
        mark = marks(connection)
        pushed = [line for line in since(connection, {}, []) if line.startswith('{"day_notes"')]
        assert list(since(connection, mark, [])) == []
    store.put_day_note(DAY, "rest", "off", at_ms=NOW_MS)
    with store.read() as connection:
        again = [line for line in since(connection, mark, []) if line.startswith('{"day_notes"')]

    assert [len(pushed), len(again)] == [1, 1]
    assert '"off"' in again[0]
