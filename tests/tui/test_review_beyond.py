"""The review screen beyond what is due: ahead, cram, minutes, two buttons, leeches, and undo of all of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from textual.pilot import Pilot

from studyapp.core.cram import CRAM, Beyond, ahead
from studyapp.core.reviews import Kind, Rating
from studyapp.settings import Settings
from studyapp.study.opening import open_desk_from
from studyapp.study.reviewing import Sitting
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, reveal, text_of, until

LATER = "2026-03-04T10:00+00:00"


@pytest.fixture
def learned(settings: Settings) -> Settings:
    """Return settings of a day two days after the demo lesson's first section was answered Easy."""
    with open_desk_from(settings) as desk:
        moment = desk.clock()
        desk.store.mark_read("demo", "first", at_ms=moment.at_ms, study_day=moment.study_day)
        sitting = Sitting(desk)
        while (showing := sitting.next()) is not None:
            sitting.grade(showing, Rating.EASY, duration_ms=1)
    return settings_in(settings.data_dir.parent, now=LATER)


async def opened(app: StudyApp, pilot: Pilot[Any]) -> ReviewScreen:
    """Wait until the review screen shows a card, or says that there is none."""
    await open_desk(app, pilot)
    screen = app.screen
    assert isinstance(screen, ReviewScreen)
    await until(pilot, lambda: screen.sitting is not None and (screen.showing or screen.beyond))
    await pilot.pause()
    return screen


def rows(app: StudyApp) -> list[Any]:
    assert app.desk is not None
    return app.desk.store.reviews(since_day=app.desk.clock().study_day)


async def test_done_for_today_offers_ahead_and_cram_and_a_studies_ahead(learned: Settings) -> None:
    app = StudyApp(learned, "review")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        shown = text_of(app)
        assert "a study ahead: 3 cards of the next 7 days" in shown
        assert "c cram" in shown
        await pilot.press("a")
        await until(pilot, lambda: screen.showing)
        await reveal(app, pilot)
        assert "7 days ahead" in text_of(app)
        await pilot.press("3")
        await until(pilot, lambda: rows(app))
        [row] = rows(app)
        assert (row.kind, row.elapsed_days) == (Kind.REVIEW, 2)


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_a_cram_says_on_every_button_that_nothing_changes_and_undo_takes_it_back(
    learned: Settings, size: tuple[int, int]
) -> None:
    app = StudyApp(learned, "review")
    async with app.run_test(size=size) as pilot:
        screen = await opened(app, pilot)
        assert app.desk is not None
        before = [card.memory for card in app.desk.store.cards()]
        await pilot.press("c")
        await until(pilot, lambda: screen.showing)
        assert "moves nothing, each until Good" in text_of(app)
        await reveal(app, pilot)
        assert text_of(app).count("as it is" if size[0] < 80 else "no change") == 4
        assert screen.showing is not None
        first = screen.showing.card.id
        await pilot.press("1")
        await until(pilot, lambda: len(rows(app)) == 1 and screen.seen)
        assert [row.kind for row in rows(app)] == [Kind.CRAM]
        assert screen.showing.card.id != first
        await pilot.press("u")
        await until(pilot, lambda: not rows(app) and screen.seen)
        assert "took back Again of a cram" in text_of(app)
        assert screen.showing.card.id == first
        for _ in range(3):
            await reveal(app, pilot)
            await pilot.press("3")
            await pilot.pause()
        await until(pilot, lambda: "DONE: CRAM" in text_of(app))
        assert "3 answers, all stored." in text_of(app)
        assert [card.memory for card in app.desk.store.cards()] == before


async def test_the_program_starts_in_the_sitting_that_was_asked_for(learned: Settings) -> None:
    for wish, title in ((CRAM, "cram"), (ahead(7), "7 days ahead"), (Beyond(None, moves=True), "cram, reviews")):
        app = StudyApp(learned, "review", None, wish)
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(app, pilot)
            assert title in text_of(app).split("\n")[0]


async def test_when_the_minutes_are_over_the_sitting_offers_to_end_after_the_card(learned: Settings) -> None:
    app = StudyApp(replace(learned, timebox_minutes=1.0), "review", None, CRAM)
    async with app.run_test(size=(60, 20)) as pilot:
        screen = await opened(app, pilot)
        await reveal(app, pilot)
        screen.box.spend(59.999)  # a card of a minute, without waiting for it
        screen.at_card._gathered = 1.0
        assert "minute is over" not in text_of(app)
        await pilot.press("3")
        await until(pilot, lambda: "1 minute is over: 2 cards answered, 2 wait." in text_of(app))
        await pilot.pause()
        await pilot.press("space", "1", "m", "a", "c", "b", "z")  # nothing is on the card
        await pilot.pause()
        assert len(rows(app)) == 1
        assert "enter goes on" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: screen.showing)
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, lambda: len(rows(app)) == 2)
        await until(pilot, lambda: screen.showing)


async def test_undo_while_the_minutes_are_over_brings_the_card_back(learned: Settings) -> None:
    app = StudyApp(replace(learned, timebox_minutes=1.0), "review", None, CRAM)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await reveal(app, pilot)
        screen.box.spend(60)
        await pilot.press("3")
        await until(pilot, lambda: screen.paused)
        await pilot.press("u")
        await until(pilot, lambda: screen.showing and not rows(app))
        assert not screen.paused


async def test_time_on_another_screen_does_not_fill_the_box(learned: Settings) -> None:
    app = StudyApp(replace(learned, timebox_minutes=1.0), "review", None, CRAM)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: app.screen is not screen)
        assert screen.at_card._since is None
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await until(pilot, lambda: screen.at_card._since is not None)


async def test_two_buttons_are_again_and_good_and_the_others_do_nothing(learned: Settings) -> None:
    app = StudyApp(replace(learned, buttons=2), "review", None, ahead(7))
    async with app.run_test(size=(60, 20)) as pilot:
        screen = await opened(app, pilot)
        await reveal(app, pilot)
        shown = text_of(app)
        assert "1 Again" in shown
        assert "3 Good" in shown
        assert "Hard" not in shown
        assert "Easy" not in shown
        assert "1 3 grade" in shown
        await pilot.press("2", "4")
        await pilot.pause()
        assert rows(app) == []
        await pilot.press("space")  # one of two key points: Hard is not there to be suggested
        await until(pilot, lambda: screen.suggestion() is Rating.AGAIN)
        await pilot.press("space", "enter")
        await until(pilot, lambda: rows(app))
        assert rows(app)[0].rating == int(Rating.GOOD)


async def test_a_leech_that_is_suspended_says_so_and_u_takes_both_back(learned: Settings) -> None:
    with open_desk_from(learned) as desk:
        card = desk.store.card("demo/slow")
        assert card is not None
        [row] = desk.store.reviews("demo/slow")
        lapsed = replace(card.memory, lapses=7, due_day=desk.clock().study_day)
        desk.store.reschedule([(card.id, card.memory, lapsed)], at=desk.clock(), terms={card.id: row.parameters})
    app = StudyApp(replace(learned, leech="suspend"), "review")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await reveal(app, pilot)
        await pilot.press("1")
        await until(pilot, lambda: "FORGOTTEN 8 TIMES, SO IT IS SUSPENDED" in text_of(app))
        assert app.desk is not None
        put_away = app.desk.store.card("demo/slow")
        assert put_away is not None
        assert (put_away.suspended, put_away.leech) == (True, True)
        await pilot.press("u")
        await until(pilot, lambda: screen.showing is not None)
        back = app.desk.store.card("demo/slow")
        assert back is not None
        assert (back.suspended, back.leech, back.memory) == (False, False, lapsed)


async def test_a10_the_prediction_that_went_with_an_answer_is_taken_back_with_it(learned: Settings) -> None:
    app = StudyApp(learned, "review", None, Beyond(None, moves=False))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert app.desk is not None
        while screen.showing is not None and screen.showing.card.id != "demo/slow":
            await reveal(app, pilot)
            await pilot.press("3")
            await pilot.pause()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, ExperimentScreen) and app.screen.trial)
        trial_screen = app.screen
        assert isinstance(trial_screen, ExperimentScreen)
        await until(pilot, lambda: trial_screen.state == "predicting")
        await pilot.press("enter")
        await until(pilot, lambda: trial_screen.state == "done")
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, lambda: any(row.run for row in rows(app)))
        assert len(app.desk.store.predictions(first_only=True)) == 1
        await pilot.press("u")
        await until(pilot, lambda: not any(row.run for row in rows(app)))
        assert app.desk.store.predictions(first_only=True) == []


async def test_the_wait_for_a_learning_card_is_counted_down_and_ends_with_the_card(settings: Settings) -> None:
    app = StudyApp(replace(settings, learn_ahead_minutes=0.0), "review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        start = app.desk.clock()
        app.desk.store.mark_read("demo", "first", at_ms=start.at_ms, study_day=start.study_day)
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        await until(pilot, lambda: screen.sitting is not None)
        assert screen.sitting is not None
        screen.sitting.look_again()
        screen._draw_next()
        for grade in ("3", "4", "4"):
            await reveal(app, pilot)
            await pilot.press(grade)
            await pilot.pause()
        await until(pilot, lambda: "A card comes back in 10 min." in text_of(app))
        for minutes, words in ((4, "A card comes back in 6 min."), (10, "SAY IT FIRST")):
            app.desk.clock = partial(replace, start, now=start.now + timedelta(minutes=minutes))
            screen._count_down()
            await until(pilot, partial(shows, app, words))
        assert screen.showing is not None


def shows(app: StudyApp, words: str) -> bool:
    return words in text_of(app)
