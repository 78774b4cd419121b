"""The two commands that are not parsed do and say what they do and say when they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from studyapp.cli import main, straight

TROUBLE = [
    {},
    {"STUDYAPP_THEME": "pink"},
    {"STUDYAPP_PLAIN": "on"},
    {"STUDYAPP_PLAIN": "on", "STUDYAPP_DB": "/dev/null/x"},
]
"""Environments in which they end at once: no terminal, a wrong setting, lines with nothing to read, no store."""


@pytest.mark.parametrize("words", [[], ["review"]])
@pytest.mark.parametrize("environ", TROUBLE)
def test_what_is_not_parsed_ends_as_if_it_were(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    environ: dict[str, str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    parsed = main.run(words), *capsys.readouterr()
    unparsed = straight.run(words), *capsys.readouterr()

    assert unparsed == parsed
    assert unparsed[1] or unparsed[2]


def test_ctrl_c_is_130_whoever_parses(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(call: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(straight.STRAIGHT, (), interrupted)

    assert straight.run([]) == 130


def test_all_other_words_are_parsed(capsys: pytest.CaptureFixture[str]) -> None:
    assert straight.run(["review", "--nonsense"]) == 2
    assert "--nonsense" in capsys.readouterr().err


def test_a_shell_that_completes_words_is_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(straight.COMPLETION, "bash_source")

    assert straight.run([]) == 0
    assert "_studyapp_completion" in capsys.readouterr().out
