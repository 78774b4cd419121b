"""What a learner wants of single modules, and of leeches: kept with each answer, taken back with it."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.core.cram import CRAM, ahead
from studyapp.core.days import day_to_iso
from studyapp.core.replay import replay
from studyapp.core.reviews import Rating
from studyapp.core.scheduling import Policy, preview
from studyapp.core.terms import policy_of_terms
from studyapp.store.database import StoredCard
from studyapp.study import optimising
from studyapp.study.cramming import sit_down
from studyapp.study.desk import Desk
from studyapp.study.moving_anki import export_apkg
from studyapp.study.rebuilding import policies, rebuild
from studyapp.study.reviewing import Graded, Sitting
from studyapp.study.statistics import gather
from tests.study.conftest import Watch
from tests.study.test_reviewing import answer_all

Maker = Callable[..., Desk]
STRICT = {"demo": 0.97}


def card_of(desk: Desk, card: str = "demo/a0") -> StoredCard:
    found = desk.store.card(card)
    assert found is not None
    return found


def answered(desk: Desk, watch: Watch, rating: Rating, *days: int) -> Graded:
    """Answer one card today, and again so many days later each."""
    day = watch().study_day
    for later in (0, *days):
        day += later
        watch.set(f"{day_to_iso(day)}T10:00")
        showing = Sitting(desk).show("demo/a0")
        assert showing is not None
        last = Sitting(desk).grade(showing, rating, duration_ms=1)
    return last


def test_a_module_with_a_retention_of_its_own_comes_back_by_it(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(retention_of=STRICT, release="all")
    showing = Sitting(desk).show("demo/a0")
    assert showing is not None
    wanted = Policy(desired_retention=0.97, fuzz=False)
    assert showing.outcomes == preview("demo/a0", showing.card.memory, watch().at_ms, watch().study_day, wanted)
    assert showing.outcomes[Rating.EASY].interval_days == 2  # 8 days at 0.90

    graded = Sitting(desk).grade(showing, Rating.EASY, duration_ms=1)

    assert card_of(desk).memory.interval_days == 2
    assert policy_of_terms(graded.row.parameters, {}, Policy()).desired_retention == 0.97


def test_other_modules_keep_the_general_retention_and_say_nothing_of_it(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(retention_of={"elsewhere": 0.75}, release="all")
    graded = answered(desk, watch, Rating.EASY)
    assert card_of(desk).memory.interval_days == 8
    assert "retention" not in graded.row.parameters


def test_a_retention_changed_later_moves_nothing_and_replay_finds_what_was_stored(
    desk_of: Maker, watch: Watch
) -> None:
    desk = desk_of(retention_of=STRICT, release="all")
    answered(desk, watch, Rating.GOOD, 0, 5)
    was = card_of(desk).memory
    for retention_of in ({}, {"demo": 0.70}):
        desk.options = replace(desk.options, retention_of=retention_of)
        assert rebuild(desk).equal
        assert card_of(desk).memory == was


def test_an_answer_that_must_be_computed_anew_keeps_the_retention_it_was_given_under(
    desk_of: Maker, watch: Watch
) -> None:
    strict, plain = desk_of(retention_of=STRICT, release="all"), desk_of(release="all")
    answered(strict, watch, Rating.EASY)
    showing = Sitting(strict).show("demo/a0")
    assert showing is not None
    early = Sitting(strict).grade(showing, Rating.EASY, duration_ms=1)
    rows = plain.store.reviews("demo/a0")
    assert replay(rows, policies(plain), recompute=True) == early.answered.after


def test_a_reschedule_moves_each_module_to_what_is_wanted_of_it(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    answered(desk, watch, Rating.EASY)
    assert optimising.plan(desk).moves == ()
    desk.options = replace(desk.options, retention_of=STRICT)
    planned = optimising.plan(desk)
    [(card, now, then)] = planned.moves
    assert (card, now.interval_days, then.interval_days) == ("demo/a0", 8, 2)
    assert optimising.move(desk, planned) == 1
    moved = desk.store.reviews()[-1]
    assert policy_of_terms(moved.parameters, {}, Policy()).desired_retention == 0.97
    assert rebuild(desk).equal


def test_statistics_know_what_is_wanted_of_each_module(desk_of: Maker) -> None:
    found = gather(desk_of(retention_of={**STRICT, "gone": 0.8}))
    assert (found.target, found.target_of) == (0.9, {"Demo": 0.97})


def leech(desk: Desk, watch: Watch) -> Graded:
    """Forget one card until it is a leech; return the answer that made it one."""
    answered(desk, watch, Rating.EASY)
    for _ in range(8):
        day = watch().study_day + 400
        watch.set(f"{day_to_iso(day)}T10:00")
        graded = answered(desk, watch, Rating.AGAIN)
        if graded.leech:
            return graded
        answered(desk, watch, Rating.EASY)
    raise AssertionError("eight lapses made no leech")


def test_a_leech_is_only_named_by_default(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    assert not leech(desk, watch).put_away
    assert (card_of(desk).leech, card_of(desk).suspended) == (True, False)


def test_a_leech_is_suspended_with_its_answer_by_choice_and_one_undo_takes_both_back(
    desk_of: Maker, watch: Watch
) -> None:
    desk = desk_of(release="all", leech="suspend")
    graded = leech(desk, watch)
    assert graded.put_away
    assert (card_of(desk).leech, card_of(desk).suspended) == (True, True)
    assert "demo/a0" not in answer_all(Sitting(desk))
    assert rebuild(desk).equal
    while desk.store.reviews()[-1].card != "demo/a0":
        Sitting(desk).undo()

    sitting = Sitting(desk)
    voided = sitting.undo()

    assert voided is not None
    assert voided.uid == graded.row.uid
    assert (card_of(desk).leech, card_of(desk).suspended) == (False, False)
    assert card_of(desk).memory == graded.answered.before
    again = sitting.again(voided)
    assert again is not None
    assert again.card.id == "demo/a0"
    assert rebuild(desk).equal


@pytest.mark.parametrize("verb", ["bury", "suspend"])
def test_a10_what_was_put_away_comes_back_first_where_it_is_due(desk_of: Maker, verb: str) -> None:
    desk = desk_of(release="all")
    sitting = Sitting(desk)
    first = sitting.next()
    assert first is not None
    getattr(sitting, verb)(first)
    later = sitting.next()
    assert later is not None
    assert later.card.id != first.card.id
    voided = sitting.undo()
    assert voided is not None
    again = sitting.again(voided)
    assert again is not None
    assert again.card.id == first.card.id


def test_a10_taking_back_a_reschedule_or_what_was_brought_back_shows_no_card_early(
    desk_of: Maker, watch: Watch
) -> None:
    desk = desk_of(release="all", new_minutes=60)
    answer_all(Sitting(desk))
    desk.options = replace(desk.options, retention_of=STRICT)
    assert optimising.move(desk, optimising.plan(desk)) == 6
    sitting = Sitting(desk)
    voided = sitting.undo()
    assert voided is not None
    assert voided.action == "reschedule"
    assert sitting.again(voided) is None
    desk.store.set_suspended("demo/a0", True, at=desk.clock())
    desk.store.set_suspended("demo/a0", False, at=desk.clock())
    voided = sitting.undo()
    assert voided is not None
    assert voided.action == "unsuspend"
    assert sitting.again(voided) is None


def test_a10_the_siblings_an_early_answer_buried_come_back_with_it(
    desk_of: Maker, lesson_path: Path, watch: Watch
) -> None:
    lesson_path.write_text("C: A kernel [launch] costs [microseconds]. <!-- id: warps -->\n")
    desk = desk_of(new_minutes=60)
    first = Sitting(desk).next()
    assert first is not None
    Sitting(desk).grade(first, Rating.EASY, duration_ms=1)
    watch.set("2026-03-03T10:00")
    early = sit_down(desk, wish=ahead(30))
    showing = early.next()
    assert showing is not None
    sibling = next(card.id for card in desk.store.cards() if card.id != showing.card.id)
    early.grade(showing, Rating.GOOD, duration_ms=1)
    assert card_of(desk, sibling).buried_until_day == watch().study_day + 1
    assert Sitting(desk).next() is None
    early.undo()
    assert (card_of(desk, sibling).buried_until_day or 0) <= watch().study_day


def test_what_is_wanted_of_a_module_and_its_crams_go_out_to_anki(
    desk_of: Maker, watch: Watch, tmp_path: Path
) -> None:
    desk = desk_of(retention_of=STRICT, release="all")
    answered(desk, watch, Rating.EASY)
    crammed = sit_down(desk, wish=CRAM)
    showing = crammed.next()
    assert showing is not None
    crammed.grade(showing, Rating.AGAIN, duration_ms=3000)
    export_apkg(desk, tmp_path / "out.apkg")
    with zipfile.ZipFile(tmp_path / "out.apkg") as archive:
        (tmp_path / "c.anki2").write_bytes(archive.read("collection.anki21"))
    with closing(sqlite3.connect(tmp_path / "c.anki2")) as raw:
        filtered = raw.execute("SELECT ease, ivl, factor, time FROM revlog WHERE type = 3").fetchall()
        wanted = {json.loads(data)["dr"] for (data,) in raw.execute("SELECT data FROM cards WHERE data <> '{}'")}
    assert filtered == [(1, 0, 0, 3000)]
    assert wanted == {0.97}
