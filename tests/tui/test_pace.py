"""Repaints go by how long writes stall; motion by what was chosen, and by SSH only where nothing was."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from studyapp.settings import Settings
from studyapp.study.racing import track_of
from studyapp.tui.app import StudyApp
from studyapp.tui.arrival import QUESTION
from studyapp.tui.pace import SLOWEST_S, Frames, Pace, TimedFile, timed
from studyapp.tui.screens.race import RaceScreen
from studyapp.tui.screens.review import TICK_S
from tests.study.test_racing import CONTROLS, paper_points
from tests.tui.drive import open_desk, start, text_of, until

Maker = Callable[..., StudyApp]


class Clock:
    """A clock that goes when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class SlowLine(io.StringIO):
    """A terminal behind a slow line: every write takes its time."""

    def __init__(self, clock: Clock, per_byte_s: float) -> None:
        super().__init__()
        self.clock, self.per_byte_s = clock, per_byte_s

    def write(self, text: str) -> int:
        self.clock.now += self.per_byte_s * len(text)
        return super().write(text)


def test_a_quick_terminal_is_painted_at_the_pleasant_rate() -> None:
    clock = Clock()
    pace = Pace(clock)
    TimedFile(SlowLine(clock, 1e-8), pace, clock).write("x" * 2000)
    assert pace.interval_s(0.1) == 0.1


def test_a_line_of_9600_baud_is_left_three_quarters_of_the_time() -> None:
    clock = Clock()
    pace = Pace(clock)
    TimedFile(SlowLine(clock, 1 / 960), pace, clock).write("x" * 120)
    assert pace.interval_s(0.1) == pytest.approx(0.5)
    TimedFile(SlowLine(clock, 1 / 960), pace, clock).write("x" * 2000)
    assert pace.interval_s(0.1) == SLOWEST_S, "something still moves"


def test_one_stall_is_forgotten_again() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0.1)
    clock.now += 2
    assert pace.interval_s(0.1) == pytest.approx(0.2)
    clock.now += 20
    assert pace.interval_s(0.1) == 0.1


def test_a_quick_write_does_not_hide_a_slow_one() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0.2)
    pace.note(0.0)
    assert pace.stall_s == pytest.approx(0.2)


def test_ticks_of_a_timer_are_painted_only_as_often_as_the_line_takes() -> None:
    clock = Clock()
    pace = Pace(clock)
    frames = Frames(pace, 10, clock)
    painted = 0
    for _ in range(50):
        clock.now += 0.1
        painted += frames.due()
    assert painted == 50
    painted = 0
    for _ in range(50):
        clock.now += 0.1
        pace.note(0.1)  # each write stalls a tenth of a second
        painted += frames.due()
    assert painted in (12, 13)


def test_what_is_written_and_the_rest_of_the_file_pass_through() -> None:
    inner = io.StringIO()
    file = TimedFile(inner, Pace())
    file.write("abc")
    file.flush()
    assert inner.getvalue() == "abc"
    assert file.isatty() is False


@pytest.mark.parametrize(
    ("motion", "chosen", "ssh", "found"),
    [("full", False, False, "full"), ("full", False, True, "reduced"), ("full", True, True, "full"),
     ("none", True, True, "none"), ("reduced", True, False, "reduced")],
)  # fmt: skip
def test_over_ssh_motion_is_reduced_unless_it_was_chosen(
    app_of: Maker,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    motion: str,
    chosen: bool,
    ssh: bool,
    found: str,
) -> None:
    if ssh:
        monkeypatch.setenv("SSH_CONNECTION", "1 2 3 4")
    sources = dict(settings.sources) | ({"motion": "config.toml"} if chosen else {})
    assert app_of(over=replace(settings, motion=motion, sources=sources)).motion == found


@pytest.mark.parametrize(("motion", "pictures"), [("none", 1), ("reduced", 3)])
async def test_a_race_without_motion_is_over_at_once_and_with_little_has_three_pictures(
    app_of: Maker, settings: Settings, monkeypatch: pytest.MonkeyPatch, motion: str, pictures: int
) -> None:
    monkeypatch.setattr("studyapp.tui.screens.race.SLOWEST_S", 0.4)
    app = app_of("race", over=replace(settings, motion=motion, sources={**settings.sources, "motion": "x"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        screen: Any = app.screen
        assert isinstance(screen, RaceScreen)
        await until(pilot, lambda: "no GPU lane" in text_of(app))  # the fake worker has none
        screen.chosen, screen.track = 16, track_of(paper_points(5e-6), CONTROLS)
        seen: list[float] = []
        paint = screen.paint

        def noting() -> None:
            seen.append(screen._elapsed_s)
            paint()

        monkeypatch.setattr(screen, "paint", noting)
        await pilot.press("space")
        await until(pilot, lambda: screen.raced)
        assert len(set(seen)) == pictures


async def test_the_thinking_bar_stands_still_without_motion(app_of: Maker, settings: Settings) -> None:
    still = replace(settings, motion="none", sources={**settings.sources, "motion": "x"})
    app = app_of(over=still)
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await until(pilot, lambda: "Say the answer out loud" in text_of(app))
        assert "0:0" not in text_of(app)
        assert "━" not in "\n".join(text_of(app).split("\n")[1:])
    assert set(TICK_S) == {"full", "reduced", "none"}


class ThreadedDriver:
    """A driver as Textual's: what it is given is written by a thread, which is played by hand here."""

    def __init__(self) -> None:
        self._file: Any = io.StringIO()
        self._writer_thread = self
        self.queue: list[str] = []
        self.alive = True

    def is_alive(self) -> bool:
        return self.alive

    def write(self, data: str) -> None:
        self.queue.append(data)

    def turn(self) -> None:
        """Write all that waits, as the thread does."""
        for text in self.queue:
            self._file.write(text)
        self._file.flush()
        self.queue.clear()


def test_a_frame_that_the_line_takes_is_written_on_the_spot() -> None:
    pace = Pace()
    driver = timed(ThreadedDriver, pace, lambda: None)()
    driver.write(f"first{pace.arrival.question()}")
    assert driver.queue == [f"first{QUESTION}"], "nothing is known of the terminal yet"
    driver.turn()
    pace.arrival.answered()
    driver.write(" second")
    assert (driver.queue, driver._file.getvalue()) == ([], f"first{QUESTION} second")


def test_what_the_thread_still_holds_is_not_overtaken() -> None:
    pace = Pace()
    driver = timed(ThreadedDriver, pace, lambda: None)()
    pace.arrival.question()
    pace.arrival.answered()
    driver.write("x" * 5000)
    pace.arrival.want()
    pace.arrival.question()
    pace.arrival.answered()
    driver.write("y")
    assert driver.queue == ["x" * 5000, "y"]
    driver.turn()
    driver.write("z")
    assert driver.queue == []
    assert driver._file.getvalue().endswith("xyz")


def test_nothing_is_written_on_a_terminal_that_was_given_back() -> None:
    pace = Pace()
    driver = timed(ThreadedDriver, pace, lambda: None)()
    pace.arrival.question()
    pace.arrival.answered()
    driver.alive = False
    driver.write("a frame")
    assert (driver.queue, driver._file.getvalue()) == (["a frame"], "")
