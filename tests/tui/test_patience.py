"""C11: a slow line may tear any sequence anywhere; its pieces are nobody's keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual import events
from textual.message import Message

from studyapp.tui import patience
from studyapp.tui.patience import PatientParser

Read = Callable[..., list[str]]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """Feed pieces to a parser, so many seconds apart, and return what they meant."""
    now = [100.0]
    monkeypatch.setattr("textual._parser.get_time", lambda: now[0])
    monkeypatch.setattr(patience, "get_time", lambda: now[0])

    def feed(*pieces: str, apart_s: float = 0.3) -> list[str]:
        parser = PatientParser()
        found: list[Message] = []
        for piece in pieces:
            found += parser.feed(piece)
            now[0] += apart_s
            found += parser.tick()
        return [_words(message) for message in found]

    return feed


def _words(message: Message) -> str:
    if isinstance(message, events.Key):
        return message.key
    return f"paste {message.text!r}" if isinstance(message, events.Paste) else type(message).__name__


@pytest.mark.parametrize(
    ("sequence", "meaning"),
    [("\x1b[2~", ["insert"]), ("\x1b[A", ["up"]), ("\x1bOP", ["f1"]), ("\x1b[<35;11;4m", ["MouseMove"])],
)
def test_c11_a_sequence_torn_after_its_beginning_is_read_as_one(
    read: Read, sequence: str, meaning: list[str]
) -> None:
    for at in range(2, len(sequence)):
        assert read(sequence[:at], sequence[at:], "j") == [*meaning, "j"], at
    assert read(sequence[:2], *sequence[2:]) == meaning


def test_c11_a_paste_torn_anywhere_is_one_paste_and_ends(read: Read) -> None:
    sent = "\x1b[200~3\n4\x1b[201~"
    for at in range(2, len(sent)):
        assert read(sent[:at], sent[at:], "j") == ["paste '3\\n4'", "j"], at


def test_an_escape_alone_is_known_after_a_tenth_of_a_second(read: Read) -> None:
    assert read("\x1b", apart_s=0.15) == ["escape"]
    assert read("a", "\x1b", "j", apart_s=0.15) == ["a", "escape", "j"]


def test_a_sequence_that_never_goes_on_is_given_up(read: Read) -> None:
    assert read("\x1b[", "j", apart_s=1.5) == ["left_square_bracket", "j"]
