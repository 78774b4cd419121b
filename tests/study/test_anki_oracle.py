"""Anki itself, from PyPI, as the judge: it takes our packages exactly, and what it exports we take exactly."""

from __future__ import annotations

import time as clock_of_the_system
import warnings
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from studyapp.core.cards import Card, ExperimentLink, Module
from studyapp.core.days import Moment
from studyapp.core.reviews import Kind, Rating, ReviewRow, State
from studyapp.core.scheduling import Policy, answer, kind_of
from studyapp.store.card_marks import Mark, marks_of, set_marks
from studyapp.store.database import open_store
from studyapp.study.desk import Desk, Options
from studyapp.study.moving_anki import export_apkg, import_apkg
from studyapp.study.rebuilding import rebuild

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anki = pytest.importorskip("anki.collection")
    scheduler = pytest.importorskip("anki.scheduler.v3")

pytestmark = pytest.mark.filterwarnings("ignore")
TYPES = {Kind.LEARN: 0, Kind.REVIEW: 1, Kind.RELEARN: 2}
LINK = ExperimentLink("small-net", {}, "Try it")
CARDS = tuple(
    Card(
        id=f"m/c{n}",
        kind="say",
        prompt=f"What *is* `{n}` < 3 & $x^{n}$?",
        answer=f"It is **{n}**.\n\n- a\n- b",
        key_points=("one", "two"),
        experiments=(LINK,),
        tags=("x",),
    )
    for n in range(24)
)


class Now:
    """The machine's own clock and zone, which Anki knows; moved back while a past is made."""

    def __init__(self) -> None:
        self.back = timedelta(0)

    def __call__(self) -> Moment:
        local = datetime.now().astimezone()
        assert local.tzinfo is not None
        return Moment((local - self.back).astimezone(timezone.utc), local.tzinfo, str(local.tzinfo))


@pytest.fixture
def now() -> Now:
    return Now()


def desk_at(folder: Path, now: Now) -> Desk:
    store = open_store(folder / "study.db", now_ms=now().at_ms)
    return Desk(store, now, Options(policy=Policy(fuzz=False)), folder / "status.json")


@pytest.fixture
def desk(tmp_path: Path, now: Now) -> Iterator[Desk]:
    """A desk with a past: reviews, lapses, steps, cards put away, cards never seen."""
    with desk_at(tmp_path / "own", now) as made:
        made.store.save_module(Module("m", "The M", cards=CARDS, path="m.md"), source_hash="1", now_ms=now().at_ms)
        for number, one in enumerate(CARDS[:20]):
            for step, days in enumerate((60, 60, 50, 30, 12)[: 1 + number % 5]):
                now.back = timedelta(days=days, minutes=60 * number - 15 * step)
                _rate(made, now(), one.id, 1 + (number * 7 + step * 3) % 4)
        now.back = timedelta(minutes=2)
        for number, rating in ((20, 1), (21, 3), (22, 4), (4, 1)):
            now.back -= timedelta(seconds=5)
            _rate(made, now(), f"m/c{number}", rating)
        now.back = timedelta(0)
        flags = [Mark(f"m/c{n}", "flag:blue", True) for n in range(0, 24, 5)]
        set_marks(made.store, [*flags, Mark("m/c5", "tag:own one", True)], at_ms=now().at_ms)
        made.store.set_suspended("m/c3", True, at=now())
        made.store.bury("m/c5", now().study_day + 1, at=now())
        yield made


def _rate(desk: Desk, at: Moment, card_id: str, rating: int) -> None:
    stored = desk.store.card(card_id)
    assert stored is not None
    memory = stored.memory
    done = answer(card_id, memory, Rating(rating), at.at_ms, at.study_day, desk.options.policy)
    row = ReviewRow(
        "", "", 0, card_id, rating, kind_of(memory), at.at_ms, at.offset_min, at.zone_name, at.study_day,
        done.elapsed_days, memory, done.after, done.retrievability, 4_321,
    )  # fmt: skip
    desk.store.record(row, expected=memory)


@pytest.fixture
def taken(desk: Desk, tmp_path: Path) -> Iterator[Any]:
    """Anki's collection after it imported our export."""
    export_apkg(desk, tmp_path / "out.apkg")
    collection = anki.Collection(str(tmp_path / "anki.anki2"))
    assert _counts(collection, tmp_path / "out.apkg") == (24, 0, 0, 0)
    yield collection
    if collection.db is not None:
        collection.close()


def _counts(collection: Any, path: Path) -> tuple[int, int, int, int]:
    options = anki.ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True)
    done = collection.import_anki_package(
        anki.ImportAnkiPackageRequest(package_path=str(path), options=options)
    ).log
    return len(done.new), len(done.updated), len(done.conflicting), len(done.missing_notetype)


def _card_of(collection: Any, card_id: str) -> Any:
    found = collection.find_cards(f'"uid:{card_id}"')
    assert len(found) == 1
    return collection.get_card(found[0])


def test_anki_takes_state_due_and_history_exactly(desk: Desk, taken: Any, now: Now) -> None:
    today = now().study_day
    states = set()
    for one in desk.store.cards():
        theirs, memory = _card_of(taken, one.id), one.memory
        states.add(memory.state)
        assert (theirs.type, theirs.reps, theirs.lapses) == (int(memory.state), memory.reps, memory.lapses)
        if memory.stability is None:
            assert theirs.memory_state is None
        else:
            assert theirs.memory_state.stability == pytest.approx(memory.stability, abs=6e-5, rel=1e-6)
            assert theirs.memory_state.difficulty == pytest.approx(memory.difficulty, abs=6e-4)
        if memory.due_day is not None:
            assert (theirs.due - taken.sched.today, theirs.ivl) == (memory.due_day - today, memory.interval_days)
        if memory.due_at_ms is not None:
            assert theirs.due == memory.due_at_ms // 1000
        log = taken.db.all("SELECT id, ease, type, time FROM revlog WHERE cid = ? ORDER BY id", theirs.id)
        own = [row for row in desk.store.reviews(one.id) if row.rating]
        assert log == [[row.at_ms, row.rating, TYPES[row.kind], row.duration_ms] for row in own]
    assert states == set(State)


def test_anki_shows_text_tags_flags_deck_and_marks(taken: Any) -> None:
    five = _card_of(taken, "m/c5")

    assert five.note()["Front"] == r"What <i>is</i> <code>5</code> &lt; 3 &amp; \(x^5\)?"
    assert "<b>5</b>" in five.note()["Back"]
    assert (five.note().tags, five.flags, five.queue) == (["own_one", "x"], 4, -2)
    assert _card_of(taken, "m/c3").queue == -1
    assert taken.decks.name(five.did) == "studyapp::m"
    assert taken.decks.config_dict_for_deck_id(five.did)["fsrsParams6"] == pytest.approx(Policy().parameters)
    assert taken.fix_integrity()[1]


def test_a_second_import_makes_nothing_new_in_anki(taken: Any, tmp_path: Path) -> None:
    reviews = taken.db.scalar("SELECT count() FROM revlog")

    assert _counts(taken, tmp_path / "out.apkg") == (0, 0, 0, 0)
    assert taken.db.scalar("SELECT count() FROM revlog") == reviews


def _exports(collection: Any, folder: Path) -> Iterator[Path]:
    """Yield what Anki exports, in each of its forms, and its collection file itself; it closes the collection."""
    for name, legacy in (("legacy.apkg", True), ("newest.apkg", False)):
        options = anki.ExportAnkiPackageOptions(
            with_scheduling=True, with_deck_configs=True, with_media=True, legacy=legacy
        )
        collection.export_anki_package(out_path=str(folder / name), options=options, limit=None)
        yield folder / name
    for name, legacy in (("legacy.colpkg", True), ("newest.colpkg", False)):
        collection.export_collection_package(str(folder / name), include_media=True, legacy=legacy)
        if collection.db is None:
            collection.reopen()
        yield folder / name
    collection.close()
    yield folder / "anki.anki2"


def test_there_and_back_into_an_empty_store_is_equal(desk: Desk, taken: Any, tmp_path: Path, now: Now) -> None:
    pytest.importorskip("zstandard")
    for path in _exports(taken, tmp_path):
        with desk_at(tmp_path / path.name.replace(".", "-"), now) as empty:
            report = import_apkg(empty, path)

            assert (report.new, report.skipped.total()) == (24, 0), path.name
            for one in desk.store.cards():
                back = empty.store.card(one.id)
                assert back is not None
                due_at_ms = one.memory.due_at_ms and one.memory.due_at_ms // 1000 * 1000  # Anki has whole seconds
                assert back.memory == replace(one.memory, due_at_ms=due_at_ms)
                assert _history(empty, one.id) == _history(desk, one.id)
                assert (back.prompt, back.answer, back.key_points) == (one.prompt, one.answer, one.key_points)
                own = ("own_one",) if one.id == "m/c5" else ()
                assert ({*back.tags}, back.kind, back.experiments) == ({*one.tags, *own}, one.kind, (LINK,))
                assert (back.suspended, back.buried_until_day) == (one.suspended, one.buried_until_day)
            flags = {card: marked.flag for card, marked in marks_of(empty.store).items()}
            assert flags == {f"m/c{n}": "blue" for n in range(0, 24, 5)}
            assert rebuild(empty).equal
            assert import_apkg(empty, path).reviews == 0
        before = desk.store.cards(), desk.store.reviews()
        import_apkg(desk, path)
        assert (desk.store.cards(), desk.store.reviews()) == before


def _history(desk: Desk, card_id: str) -> list[tuple[Any, ...]]:
    return [
        (row.at_ms, row.rating, row.kind, row.duration_ms, row.study_day, row.elapsed_days)
        for row in desk.store.reviews(card_id)
        if row.rating
    ]


@pytest.mark.parametrize("fsrs", [True, False])
def test_what_was_studied_in_anki_comes_home(fsrs: bool, desk: Desk, taken: Any, tmp_path: Path, now: Now) -> None:
    taken.set_config("fsrs", fsrs)
    for name in ("m/c7", "m/c8", "m/c9", "m/c11"):
        taken.sched.set_due_date([_card_of(taken, name).id], "0")
    answered = _study(taken)
    assert len(answered) >= 5
    options = anki.ExportAnkiPackageOptions(with_scheduling=True, with_media=False, legacy=True)
    taken.export_anki_package(out_path=str(tmp_path / "studied.apkg"), options=options, limit=None)
    today = now().study_day

    import_apkg(desk, tmp_path / "studied.apkg")

    with desk_at(tmp_path / "empty", now) as empty:
        import_apkg(empty, tmp_path / "studied.apkg")
        for place in (desk, empty):
            for name in answered:
                theirs, ours = _card_of(taken, name), place.store.card(name)
                assert ours is not None
                memory = ours.memory
                assert (int(memory.state), memory.reps, memory.lapses) == (theirs.type, theirs.reps, theirs.lapses)
                if memory.due_day is not None:
                    assert memory.due_day - today == theirs.due - taken.sched.today
                else:
                    assert memory.due_at_ms == theirs.due * 1000
                assert memory.stability is not None
                if fsrs:
                    assert memory.stability == pytest.approx(theirs.memory_state.stability, rel=1e-5)
                    assert memory.difficulty == pytest.approx(theirs.memory_state.difficulty, rel=1e-5)
                log = taken.db.list("SELECT id FROM revlog WHERE cid = ? AND ease > 0 ORDER BY id", theirs.id)
                assert [row[0] for row in _history(place, name)] == log
            assert rebuild(place).equal


def _study(collection: Any) -> list[str]:
    """Answer what Anki's queue holds; return the ids of the cards."""
    collection.decks.set_current(collection.decks.id_for_name("studyapp::m"))
    start_ms = int(clock_of_the_system.time() * 1000)
    names = []
    for number, one in enumerate(collection.sched.get_queued_cards(fetch_limit=20).cards):
        states = (one.states.again, one.states.hard, one.states.good, one.states.easy)
        rating = (0, 2, 3, 2)[number % 4]
        collection.sched.answer_card(
            scheduler.CardAnswer(
                card_id=one.card.id,
                current_state=one.states.current,
                new_state=states[rating],
                rating=rating,
                answered_at_millis=start_ms + number,
                milliseconds_taken=4_000,
            )
        )
        names.append(collection.get_card(one.card.id).note()["uid"])
    return names
