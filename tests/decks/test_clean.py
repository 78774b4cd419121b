"""Control characters never get through, and nothing else changes."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from studyapp.decks.clean import _MARKS, _UNSAFE, clean, clean_line, excerpt, settle
from studyapp.decks.load import parse

CASES = Path(__file__).parent / "cases"
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]")
ANY_TEXT = st.text(st.characters(codec=None))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings([*value, *value.values()])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)


def test_c02_no_control_sequence_survives_import() -> None:
    text = (CASES / "C02_escapes.md").read_bytes().decode()

    (card,) = parse(text, "C02.md").module.cards

    assert not HARMFUL.search(card.prompt + card.answer)
    assert "before ␛]52;c;aGVsbG8=␇ mid ␛[2J␛[31mRED" in card.answer
    assert card.answer.endswith("nul:␀ del:␡ bidi:\ufffdabc\ufffd")


def test_c02_control_characters_in_names_titles_and_controls_are_cleaned() -> None:
    text = "---\nid: x\ntitle: a\x1b[2Jb\n---\n## s\x07\n[l&#7;\x1b](experiment:kept?side=%1b%5B2J)\n"

    parsed = parse(text, "na\x1bme\n.md")

    assert not [text for text in strings(asdict(parsed)) if HARMFUL.search(text)]
    assert parsed.module.path == "na␛me␊.md"
    assert parsed.module.sections[0].experiments[0].controls == {"side": "␛[2J"}


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing_and_keeps_every_column(text: str) -> None:
    once = clean(text)

    assert clean(once) == once
    assert len(once) == len(text)
    assert not HARMFUL.search(once)


@given(ANY_TEXT)
def test_a_cleaned_line_is_one_line(text: str) -> None:
    assert len(clean_line(text).splitlines()) <= 1
    assert "\t" not in clean_line(text)


def test_ordinary_text_is_the_same_text_after_cleaning() -> None:
    text = "Größe → 3 µs\n\tתורה 👩‍🔬 \\(x\\)"

    assert clean(text) == text


def test_settling_gives_one_text_for_every_line_end() -> None:
    assert settle("\ufeffa\r\nb\rc\n") == "a\nb\nc\n"


def test_an_excerpt_is_short_and_says_so() -> None:
    assert excerpt("  two\nlines ") == "two lines"
    assert excerpt("word " * 30) == "word word word word word word word word word wo…"


def test_what_has_a_mark_is_never_called_printable() -> None:
    assert [code for code in range(0x110000) if HARMFUL.match(chr(code)) and chr(code).isprintable()] == []
    assert not "\t".isprintable()
    assert not "\n".isprintable()


def test_the_ranges_that_are_searched_are_the_marks() -> None:
    assert [code for code in range(0x110000) if _UNSAFE.match(chr(code))] == sorted(_MARKS)
