"""What repaints by itself waits until the frame before has arrived, where the terminal answers."""

from __future__ import annotations

import threading
import time

import pytest
from textual import events
from textual.message import Message

from studyapp.tui.arrival import ANSWER, BEHIND_S, FIRST_PATIENCE_S, FITS_BYTES, PATIENCE_S, QUESTION, Arrival
from studyapp.tui.pace import Frames, Pace
from studyapp.tui.patience import PatientParser
from tests.tui.test_pace import Clock


def test_a_question_is_asked_only_where_one_is_wanted() -> None:
    arrival = Arrival(Clock())
    assert arrival.question() == QUESTION, "the first frame says whether the terminal answers"
    arrival.want()
    assert arrival.question() == "", "until that is known no other is asked"
    assert arrival.awaited
    arrival.answered()
    assert not arrival.awaited
    assert arrival.question() == QUESTION
    arrival.want()
    assert arrival.question() == QUESTION
    arrival.answered()
    assert arrival.awaited
    arrival.answered()
    assert not arrival.awaited
    assert arrival.question() == "", "nobody wants to know"


def test_a_terminal_that_does_not_answer_is_asked_once() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    assert arrival.question() == QUESTION
    clock.now += FIRST_PATIENCE_S
    assert not arrival.awaited
    arrival.want()
    assert arrival.question() == ""


def test_a_late_answer_counts() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    arrival.question()
    clock.now += FIRST_PATIENCE_S + 3
    assert not arrival.awaited
    arrival.answered()
    arrival.want()
    assert arrival.question() == QUESTION


def test_an_answer_that_is_lost_is_waited_for_once() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    arrival.question()
    arrival.answered()
    arrival.want()
    arrival.question()
    clock.now += PATIENCE_S
    assert not arrival.awaited
    arrival.want()
    assert arrival.question() == QUESTION


def test_what_was_sent_has_arrived_when_the_question_behind_it_is_answered() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    arrival.question()
    arrival.want()
    place, sent_at_s = arrival.place, clock.now
    assert arrival.arrived_at_s(place, sent_at_s) is None
    clock.now += 0.8
    arrival.answered()
    clock.now += 5
    arrival.question()
    arrival.answered()
    assert arrival.arrived_at_s(place, sent_at_s) == sent_at_s + 0.8


def test_what_a_terminal_without_answers_gets_has_arrived_when_it_was_sent() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    arrival.question()
    clock.now += FIRST_PATIENCE_S
    assert arrival.arrived_at_s(arrival.place, clock.now) == clock.now


def test_a_line_is_behind_once_a_frame_takes_much_longer_than_the_quickest() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    for quick_s in (0.9, 0.6):  # the way there and back, by satellite
        arrival.want()
        arrival.question()
        clock.now += quick_s
        assert not arrival.behind
        arrival.answered()
    arrival.want()
    arrival.question()
    clock.now += 0.6 + BEHIND_S - 0.01
    assert not arrival.behind
    clock.now += 0.02
    assert arrival.behind
    arrival.answered()
    assert not arrival.behind


def test_a_frame_that_is_held_back_has_not_arrived_with_those_before_it() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    arrival.question()
    arrival.held = True
    place = arrival.place
    arrival.answered()
    assert arrival.arrived_at_s(place, clock.now) is None
    arrival.want()
    arrival.question()
    arrival.held = False
    assert arrival.arrived_at_s(place, clock.now) is None
    clock.now += 1
    arrival.answered()
    assert arrival.arrived_at_s(place, clock.now - 1) == clock.now


def test_frames_of_a_timer_wait_for_the_one_before() -> None:
    clock = Clock()
    pace = Pace(clock)
    frames = Frames(pace, 10, clock)
    painted, arrives_at = 0, 0.0
    for _ in range(50):
        clock.now += 0.1
        if clock.now >= arrives_at:
            pace.arrival.answered()
        if frames.due():
            painted += 1
            if pace.arrival.question():
                arrives_at = clock.now + 0.45  # the line takes so long for a frame
    assert painted == 10


def test_leaving_waits_for_an_answer_under_way_but_not_for_long() -> None:
    arrival = Arrival()
    arrival.question()
    threading.Timer(0.05, arrival.answered).start()
    arrival.wait(5.0)
    assert not arrival.awaited
    arrival.want()
    assert arrival.question() == QUESTION
    began = time.monotonic()
    arrival.wait(0.05)
    assert time.monotonic() - began >= 0.05


def test_the_answer_is_no_key_wherever_a_slow_line_tears_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(2, len(ANSWER) + 1):
        arrival = Arrival()
        arrival.question()
        parser = PatientParser()
        monkeypatch.setattr(PatientParser, "answered", arrival.answered)
        found: list[Message] = []
        for piece in (ANSWER[:at], ANSWER[at:] + "j"):
            found += parser.feed(piece)
        assert [event.key for event in found if isinstance(event, events.Key)] == ["j"]
        assert not arrival.awaited


def test_a_line_takes_a_little_at_once_where_all_before_it_has_arrived() -> None:
    arrival = Arrival(Clock())
    assert not arrival.takes("a frame" + arrival.question()), "nothing is known of the terminal yet"
    arrival.answered()
    assert arrival.takes("x" * 1000)
    arrival.want()
    assert arrival.takes("x" * 1000 + arrival.question()), "its own question is not answered yet, and need not be"
    assert not arrival.takes("more, while that is under way")
    arrival.answered()
    assert arrival.takes("more")


def test_a_line_does_not_take_much_at_once() -> None:
    arrival = Arrival(Clock())
    arrival.question()
    arrival.answered()
    assert not arrival.takes("█" * (FITS_BYTES // 3 + 1)), "three bytes each"
    assert not arrival.takes("more on top of it"), "of which nothing is known until the next question is answered"
    arrival.want()
    assert arrival.takes("x" + arrival.question())


def test_a_line_whose_answer_was_given_up_takes_nothing_at_once() -> None:
    clock = Clock()
    arrival = Arrival(clock)
    arrival.question()
    arrival.answered()
    arrival.want()
    arrival.question()
    clock.now += PATIENCE_S
    assert not arrival.awaited
    assert not arrival.takes("a frame")
    arrival.want()
    arrival.question()
    arrival.answered()
    assert arrival.takes("a frame")
