"""The race in lines: every lane says whose number it is."""

from __future__ import annotations

import pytest

from tests.plain.conftest import Speak


def test_without_a_gpu_two_races_are_told_one_on_paper_with_its_numbers(speak: Speak) -> None:
    result = speak([], "race")

    assert result.code == 0
    assert "The GPU is on paper: launch 25 µs, bus 16 GB/s, arithmetic 8 TFLOP/s." in result.out
    assert "do all cores beat one?" in result.out


def test_in_ascii_the_numbers_are_ascii(speak: Speak, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYAPP_ASCII", "on")

    assert "launch 25 us" in speak([], "race").out
