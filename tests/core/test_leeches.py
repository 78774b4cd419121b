"""Leeches: at eight lapses, then every four."""

from __future__ import annotations

from studyapp.core.leeches import is_leech_event


def test_a_card_is_called_a_leech_at_eight_lapses_and_then_every_four() -> None:
    assert [n for n in range(1, 25) if is_leech_event(n - 1, n)] == [8, 12, 16, 20, 24]


def test_an_answer_without_a_lapse_calls_nothing() -> None:
    assert not any(is_leech_event(n, n) for n in range(25))


def test_taking_a_lapse_back_calls_nothing() -> None:
    assert not is_leech_event(8, 7)
