"""The review screen: nothing is graded that was not shown, everything graded is stored, undo at any depth."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pictures.record import recorded
from studyapp.core.reviews import Rating
from studyapp.study.experimenting import Trial
from studyapp.study.opening import open_desk_from
from studyapp.study.reviewing import Sitting
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, release, reveal, start, text_of, until

Maker = Callable[..., StudyApp]


def stored(app: StudyApp, count: int) -> bool:
    return rows(app) == count


def rows(app: StudyApp) -> int:
    assert app.desk is not None
    return len(app.desk.store.reviews())


async def test_the_prompt_comes_first_and_the_answer_only_after_reveal(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        before = text_of(app)
        await reveal(app, pilot)
        after = text_of(app)

    assert "SAY IT FIRST" in before
    assert "Why is a small net slow on a GPU?" in before
    assert "Its steps are fixed costs." not in before
    assert "CHECK YOURSELF" in after
    assert "Its steps are fixed costs." in after
    assert "1 min" in after
    assert "8 days" in after


async def test_a08_a_grade_needs_a_revealed_answer(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await pilot.press("3", "3", "4", "1")
        await pilot.pause()
        assert rows(app) == 0


async def test_a08_ten_presses_of_one_grade_store_one_review(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await reveal(app, pilot)
        await pilot.press(*["3"] * 10)
        await until(pilot, lambda: rows(app) >= 1)
        await pilot.pause()
        assert rows(app) == 1


async def test_the_button_shows_what_is_stored(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        assert screen.showing is not None
        promised = screen.showing.outcomes[Rating.EASY].after
        card = screen.showing.card.id
        await reveal(app, pilot)
        await pilot.press("4")
        await until(pilot, lambda: rows(app) == 1)
        assert app.desk is not None
        stored = app.desk.store.card(card)
        assert stored is not None
        assert stored.memory == promised
        assert stored.memory.interval_days == 8


async def test_ticked_key_points_suggest_a_grade_that_enter_takes(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await reveal(app, pilot)
        await pilot.press("enter")  # nothing ticked: enter grades nothing
        await pilot.pause()
        assert rows(app) == 0
        await pilot.press("space")
        await until(pilot, lambda: "2 Hard  enter" in text_of(app))
        await pilot.press("space")
        await until(pilot, lambda: "3 Good  enter" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: rows(app) == 1)
        assert app.desk is not None
        assert app.desk.store.reviews()[0].rating == int(Rating.GOOD)


async def test_a10_undo_takes_back_answers_at_any_depth_and_after_a_restart(
    app_of: Maker,
) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        for count in (1, 2):
            await reveal(app, pilot)
            await pilot.press("4")
            await until(pilot, partial(stored, app, count))
            await pilot.pause()
    again = app_of()
    async with again.run_test(size=(80, 24)) as pilot:
        await open_desk(again, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(again.screen, ReviewScreen) and again.screen.showing)
        await pilot.press("u")
        await until(pilot, lambda: rows(again) == 1)
        await pilot.pause()
        assert "took back Easy" in text_of(again)
        assert "What does a launch cost?" in text_of(again)
        await pilot.press("u")
        await until(pilot, lambda: rows(again) == 0)
        await pilot.pause()
        assert "Why is a small net slow on a GPU?" in text_of(again)
        await pilot.press("u")
        await pilot.pause()
        await until(pilot, lambda: "nothing to take back" in text_of(again))


async def test_a04_a_card_comes_back_at_the_rollover_not_at_midnight(app_of: Maker, tmp_path: Path) -> None:
    app = app_of(over=settings_in(tmp_path, now="2026-03-02T23:50+00:00"))
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await reveal(app, pilot)
        await pilot.press("4")  # eight days, fuzz off
        await until(pilot, lambda: rows(app) == 1)

    due = {}
    for instant in ("2026-03-10T01:00+00:00", "2026-03-10T03:59+00:00", "2026-03-10T04:01+00:00"):
        later = app_of(over=settings_in(tmp_path, now=instant, new_minutes="0"))
        async with later.run_test(size=(80, 24)) as pilot:
            await open_desk(later, pilot)
            later.refresh_status()
            due[instant[11:16]] = later.status["days"][0]["review"]
    assert due == {"01:00": 0, "03:59": 0, "04:01": 1}


async def test_the_streak_of_an_answer_taken_back_leaves_the_top_row(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        await reveal(app, pilot)
        await pilot.press("4")
        await until(pilot, lambda: rows(app) == 1)
        screen._cache()
        await until(pilot, lambda: app.status["streak"]["length"] == 1)
        await until(pilot, lambda: "1 day" in text_of(app))
        await pilot.press("u")
        await until(pilot, lambda: "took back" in text_of(app))
        screen._cache()
        await until(pilot, lambda: "1 day" not in text_of(app).splitlines()[0])


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_d03_a_grade_that_cannot_be_stored_keeps_its_card_and_says_how_to_retry(
    app_of: Maker, size: tuple[int, int]
) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await start(app, pilot)
        assert app.desk is not None
        with app.desk.store.alone() as raw:
            raw.execute("PRAGMA query_only = ON")  # every write now fails, as on a disk gone read-only
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, lambda: "NOT STORED" in text_of(app))
        said = " ".join(text_of(app).split())
        assert "is read-only for you. Give yourself write permission" in said
        assert "3 tries again." in said
        assert "Why is a small net slow on a GPU?" in text_of(app)
        with app.desk.store.alone() as raw:
            raw.execute("PRAGMA query_only = OFF")
        assert rows(app) == 0
        await pilot.press("3")  # and grading again, once there is room, stores it
        await until(pilot, lambda: rows(app) == 1)


async def test_d02_a_grade_that_waits_for_another_program_says_so_and_is_then_stored(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        assert app.desk is not None
        await reveal(app, pilot)
        with closing(sqlite3.connect(app.desk.store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            pressed = asyncio.create_task(pilot.press("3"))  # which returns only once the key was dealt with
            for _ in range(200):
                await asyncio.sleep(0.02)
                if "another program holds the record" in text_of(app):
                    break
            assert "another program holds the record" in text_of(app)
            assert "Why is a small net slow on a GPU?" in text_of(app)
            other.execute("ROLLBACK")
        await pressed
        await until(pilot, lambda: rows(app) == 1)
        await until(pilot, lambda: "SAY IT FIRST" in text_of(app))
        assert "another program" not in text_of(app)
        assert not screen._quick  # the next one is written beside the screen, too
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, lambda: rows(app) == 2)
        await until(pilot, lambda: screen._quick)


@pytest.mark.parametrize(("key", "after"), [("u", "took back Good"), ("b", "put away until tomorrow")])
async def test_d02_undo_and_bury_say_what_they_wait_for_too(app_of: Maker, key: str, after: str) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        assert app.desk is not None
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, partial(stored, app, 1))
        await until(pilot, lambda: "SAY IT FIRST" in text_of(app))
        with closing(sqlite3.connect(app.desk.store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            pressed = asyncio.create_task(pilot.press(key))
            for _ in range(200):
                await asyncio.sleep(0.02)
                if "another program holds the record" in text_of(app):
                    break
            assert "another program holds the record" in text_of(app)
            other.execute("ROLLBACK")
        await pressed
        await until(pilot, lambda: after in text_of(app))
        assert "another program" not in text_of(app)


async def test_the_end_of_a_sitting_says_what_comes_next(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        for count in (1, 2, 3):
            await reveal(app, pilot)
            await pilot.press("4")
            await until(pilot, partial(stored, app, count))
            await pilot.pause()
        await until(pilot, lambda: "3 answers, all stored." in text_of(app))
        assert "DONE FOR TODAY" in text_of(app)
        assert "1 day in a row." in text_of(app)


async def test_a_typed_answer_stands_above_the_answer_and_grades_nothing(app_of: Maker, tmp_path: Path) -> None:
    app = app_of(over=settings_in(tmp_path, typed="on"))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        app.refresh_status()
        await pilot.press("enter")
        await until(pilot, lambda: "TYPE IT FIRST" in text_of(app))
        await pilot.press(*"3 [/b] fixed", "enter")
        await until(pilot, lambda: "you said  3 [/b] fixed" in text_of(app))
        assert rows(app) == 0
        await pilot.press("4")
        await until(pilot, partial(stored, app, 1))


async def test_a_trial_can_wait_for_the_end_of_the_sitting(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(120, 40)) as pilot:
        await start(app, pilot)
        await pilot.press("X")
        await until(pilot, lambda: "waits for the end" in text_of(app))
        for count in (1, 2, 3):
            await reveal(app, pilot)
            await pilot.press("4")
            await until(pilot, partial(stored, app, count))
            await pilot.pause()
        await until(pilot, lambda: "put on trial: small-net" in text_of(app))
        await pilot.press("x")
        await until(pilot, lambda: "PREDICT FIRST" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "VERDICT" in text_of(app))
        await pilot.press("q")
        await pilot.press("q")
        await until(pilot, lambda: "your last experiment   small-net" in text_of(app))
        assert "rows per step" in text_of(app)


async def test_a_surprise_at_the_end_is_offered_there_once_more_and_says_why(
    app_of: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyapp.study.surprises.sure_and_wrong", lambda trial: True)
    app = app_of()
    async with app.run_test(size=(120, 40)) as pilot:
        await start(app, pilot)
        await pilot.press("X")
        for count in (1, 2, 3):
            await reveal(app, pilot)
            await pilot.press("4")
            await until(pilot, partial(stored, app, count))
            await pilot.pause()
        await until(pilot, lambda: "put on trial: small-net" in text_of(app))
        await pilot.press("x")
        await until(pilot, lambda: "PREDICT FIRST" in text_of(app))
        await pilot.press("3", "enter")
        await until(pilot, lambda: "VERDICT" in text_of(app))
        await pilot.press("q")
        again = "put on trial: small-net once more, with other numbers: you were certain"
        await until(pilot, lambda: again in text_of(app))

        await pilot.press("x")
        await until(pilot, lambda: "PREDICT FIRST" in text_of(app))
        await pilot.press("q")  # left before its verdict: it waits on
        await until(pilot, lambda: again in text_of(app))
        await pilot.press("x")
        await until(pilot, lambda: "PREDICT FIRST" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "VERDICT" in text_of(app))
        await pilot.press("q")
        await until(pilot, lambda: "DONE FOR TODAY" in text_of(app))
        assert "put on trial" not in text_of(app)


async def test_a_learner_who_was_away_is_offered_a_part(app_of: Maker, tmp_path: Path, lesson: Path) -> None:
    cards = "\n".join(
        f"> **Say it first:** What is {i}? <!-- id: c{i} -->\n>\n> It.\n>\n> **Check:**\n>\n> - a\n> - b\n"
        for i in range(40)
    )
    lesson.write_text(
        f"---\nid: demo\ntitle: Demo lesson\n---\n\n# D\n\n## S <!-- id: first -->\n\nText.\n\n{cards}"
    )
    early = settings_in(tmp_path, now="2026-03-02T10:00+00:00", release="all", new_minutes="100")
    desk = open_desk_from(early)
    sitting = Sitting(desk)
    while (showing := sitting.next()) is not None:
        sitting.grade(showing, Rating.EASY, duration_ms=10_000)
    desk.close()
    app = app_of("review", over=settings_in(tmp_path, now="2026-04-01T10:00+00:00", new_minutes="0"))
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: "WELCOME BACK" in text_of(app))
        assert "more often; none is lost." in " ".join(text_of(app).split())
        assert "Away 29 days, 40 due." in text_of(app)
        assert "20 now (about 10 minutes), the rest tomorrow." in text_of(app)
        assert text_of(app).splitlines()[-1].split() == [
            "s",
            "spread",
            "it",
            "a",
            "all",
            "now",
            "q",
            "back",
            "?",
            "help",
        ]
        await pilot.press("s")
        await until(pilot, lambda: "SAY IT FIRST" in text_of(app))
        assert "0/20" in text_of(app)


@pytest.mark.parametrize(
    ("width", "shown"),
    [(96, ["10 min", "67 d, 2.2 months"]), (75, ["10 min", "67 days"]), (40, ["10m", "67d"])],
)
def test_a_grade_says_its_wait_in_a_form_that_fits(width: int, shown: list[str]) -> None:
    from studyapp.tui.screens.review_parts import _waits

    room = min(width // 4, 24) - 5

    assert list(_waits(["10 min", "67 d, 2.2 months"], room)) == shown


async def test_the_question_stays_in_its_row_while_the_answer_is_typed(app_of: Maker) -> None:
    def rows() -> list[int]:
        return [
            k for k, row in enumerate(text_of(app).split("\n")) if "FIRST" in row or row.rstrip().endswith("?")
        ]

    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        app.refresh_status()
        await pilot.press("enter")
        await until(pilot, lambda: "SAY IT FIRST" in text_of(app))
        before = rows()
        await pilot.press("i")
        await until(pilot, lambda: "TYPE IT FIRST" in text_of(app))

        assert rows() == before


async def test_in_a_large_window_the_answer_stands_whole_above_what_was_measured(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(120, 34)) as pilot:
        await open_desk(app, pilot)
        release(app)
        assert app.desk is not None
        card = next(card for card in app.desk.store.cards() if card.experiments)
        trial = Trial(app.desk, "small-net", card=card.id, device="cpu")
        trial.predict(2.0)
        trial.started_at_ms = app.desk.clock().at_ms
        started, points, done = recorded("small-net")
        for message in (started, *points, done):
            trial.fold(message)
        app.refresh_status()
        await pilot.press("enter")
        await reveal(app, pilot)
        await until(pilot, lambda: "└┴" in text_of(app))
        await until(pilot, lambda: "the arithmetic is tiny" in text_of(app))

        assert "more lines" not in text_of(app)
