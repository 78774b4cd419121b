"""Opens a store and gives it its methods, which live in one file per family of tables.

Each of these files is imported when the first of its methods is called: a first card waits for few of them, and
only saving lessons, searching, merging and upgrading bring SQLAlchemy (100 ms and 16 MB, measured, 2 EPYC cores).
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from studyapp.core.errors import StoreError
from studyapp.store.connections import BUSY_TIMEOUT_MS, choose_journal, connect
from studyapp.store.files import file_system, is_network, make_private, tighten
from studyapp.store.identity import draw_device, known_device
from studyapp.store.records import (
    Alike,
    DoneToday,
    ModuleChange,
    NewRun,
    StoredCard,
    StoredModule,
    StoredPrediction,
    StoredRun,
    StoredSection,
)
from studyapp.store.revision import SHIPPED, Revisions, look, upgrade
from studyapp.store.session import Session
from studyapp.store.trouble import store_error

if TYPE_CHECKING:
    from studyapp.store import (
        answering,
        arrivals,
        beyond,
        challenges,
        coins,
        corrections,
        day_notes,
        figures,
        hiding,
        history,
        keeping,
        leaving,
        lookup,
        own_parameters,
        passports,
        predicted,
        progress,
        queueing,
        rollups,
        saving,
        staleness,
        trials,
        undoing,
    )
else:
    from studyapp.store.homes import Home

    _HOMES = """
    answering arrivals beyond challenges coins corrections day_notes figures hiding history keeping leaving
    lookup own_parameters passports predicted progress queueing rollups saving staleness trials undoing
    """
    globals().update({name: Home(f"studyapp.store.{name}") for name in _HOMES.split()})

__all__ = [
    "Alike",
    "DoneToday",
    "ModuleChange",
    "NewRun",
    "Store",
    "StoredCard",
    "StoredModule",
    "StoredPrediction",
    "StoredRun",
    "StoredSection",
    "open_store",
]


class Store(Session):
    """The learner's record. Every method is one transaction; a context manager that closes the file."""

    save_module = saving.save_module
    save_modules = saving.save_modules
    hide_missing = hiding.hide_missing
    link_cards = saving.link_cards

    module_hash = lookup.module_hash
    lessons_kept = lookup.lessons_kept
    modules = lookup.modules
    sections = lookup.sections
    card = lookup.card
    card_ids = lookup.card_ids
    cards = lookup.cards
    find = lookup.find

    mark_read = queueing.mark_read
    queue_rows = queueing.queue_rows
    new_rows = queueing.new_rows
    due_forecast = queueing.due_forecast
    due_cards = queueing.due_cards
    early_rows = beyond.early_rows
    taught_rows = beyond.taught_rows
    taught_count = beyond.taught_count

    record = answering.record
    undo = undoing.undo
    put_away = answering.put_away
    set_suspended = answering.set_suspended
    bury = answering.bury

    reviews = history.reviews
    done_today = history.done_today
    active_days = figures.active_days
    retention = figures.retention
    training_rows = figures.training_rows
    day_figures = figures.day_figures
    module_recall = figures.module_recall
    forecast_bins = figures.forecast_bins
    held_in_memory = figures.held_in_memory
    card_counts = figures.card_counts
    cards_with = figures.cards_with
    module_progress = progress.module_progress
    hardest_cards = figures.hardest_cards
    due_days = figures.due_days
    module_titles = figures.module_titles
    parameter_sets = own_parameters.parameter_sets
    parameters_in_force = own_parameters.parameters_in_force
    take_parameters = own_parameters.take_parameters
    go_back = own_parameters.go_back
    reschedule = own_parameters.reschedule
    check_rollups = rollups.check_rollups
    rebuild_rollups = rollups.rebuild_rollups
    newest_review_ms = history.newest_review_ms

    first_prediction_exists = predicted.first_prediction_exists
    predicted_with = predicted.predicted_with
    days_tried = trials.days_tried
    save_prediction = predicted.save_prediction
    prediction_of = predicted.prediction_of
    predictions = predicted.predictions
    save_run = trials.save_run
    last_run = trials.last_run
    run_of = trials.run_of
    runs = trials.runs
    run_points = trials.run_points
    points_of = trials.points_of
    came_back = staleness.came_back
    save_passport = passports.save_passport
    passports = passports.passports

    keep_challenge = challenges.keep_challenge
    challenge_answers = challenges.challenge_answers
    next_day_answers = coins.next_day_answers
    cards_tried = coins.cards_tried
    add_correction = corrections.add_correction
    withdraw_correction = corrections.withdraw_correction
    corrections = corrections.corrections
    put_day_note = day_notes.put_day_note
    put_day_notes = day_notes.put_day_notes
    day_notes = day_notes.day_notes

    bring = arrivals.bring
    leaving_cards = leaving.leaving_cards
    pour_reviews = leaving.pour_reviews
    leaving_modules = leaving.leaving_modules

    meta_get = keeping.meta_get
    meta_set = keeping.meta_set
    meta_set_all = keeping.meta_set_all
    backup = keeping.backup
    integrity = keeping.integrity

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()


def open_store(
    path: Path,
    *,
    now_ms: int,
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    on_file_system: str | None = None,
    revisions: Revisions = SHIPPED,
) -> Store:
    """Open a store, created private (folder 700, file 600) or upgraded in one transaction where needed.

    Args:
        path: The SQLite file.
        now_ms: The wall clock, UTC milliseconds: when a device id is drawn.
        busy_timeout_ms: How long to wait for another program's lock.
        on_file_system: Type of the file system below, looked up when None.
        revisions: The schema revisions to work with.

    Raises:
        StoreError: If the store is newer than this program, damaged, no store, locked, read-only or out of room;
            a newer store is left as it is, byte for byte.
    """
    make_private(path)
    found = look(path, revisions, busy_timeout_ms)
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise StoreError(
            f"The store {path} is read-only for you.",
            "Give yourself write permission on the file and its folder, or name another with --data-dir.",
        )
    tighten(path)
    kind = file_system(path.parent) if on_file_system is None else on_file_system
    try:
        raw = connect(path, busy_timeout_ms)
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    try:
        store = Store(path, raw, choose_journal(raw, is_network(kind), busy_timeout_ms))
    except sqlite3.Error as error:
        raw.close()
        raise store_error(error, path) from error
    try:
        _bring_up(store, found, now_ms, revisions)
    except BaseException:
        store.close()
        raise
    return store


def _bring_up(store: Store, found: str | None, now_ms: int, revisions: Revisions) -> None:
    if found != revisions.head:
        with store.write() as connection:
            upgrade(connection, store.raw, store.path, revisions)
    with store.alone() as raw:
        device = known_device(raw, store.path)
    if device is None:
        with store.write():
            # another window may have drawn it in the meantime
            device = known_device(store.raw, store.path) or draw_device(store.raw, store.path, now_ms)
    store.device_bytes = device
