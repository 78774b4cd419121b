"""Outside text made harmless for a terminal: control characters become marks that can be seen.

Used when text comes in and again before it is drawn. Pure; knows nothing of Markdown.
"""

from __future__ import annotations

import re

_PICTURES = 0x2400  # the Unicode block "Control Pictures" holds one picture for each C0 code, in order
_REPLACEMENT = "\ufffd"


def _marks() -> dict[int, str]:
    marks = {code: chr(_PICTURES + code) for code in range(0x20) if chr(code) not in "\n\t"}
    marks[0x7F] = "\u2421"
    marks.update(dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT))  # C1: 0x9B is a one-byte CSI
    marks.update(dict.fromkeys(range(0x202A, 0x202F), _REPLACEMENT))  # bidi embeddings and overrides
    marks.update(dict.fromkeys(range(0x2066, 0x206A), _REPLACEMENT))  # bidi isolates
    marks.update({0x2028: "\u2424", 0x2029: "\u2424"})  # line breaks to some programs, text to others
    marks.update(dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT))  # lone surrogates cannot be encoded
    return marks


_MARKS = _marks()
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""The keys of `_MARKS`, in ranges: one by one they take 2 ms to compile, at every start."""
_LINE_MARKS = _MARKS | {0x0A: "\u240a", 0x09: " "}


def clean(text: str) -> str:
    r"""Return text with every control character but newline and tab replaced by a visible mark.

    C0 codes and DEL become their control pictures; C1 codes, bidirectional overrides and isolates and lone
    surrogates become U+FFFD. One character for one, so columns stay; cleaning twice changes nothing.

    >>> clean("a\x1b[31mb\x07\n\tc")
    'a␛[31mb␇\n\tc'
    """
    if text.isprintable() or not _UNSAFE.search(text):  # asking is twenty and ten times cheaper
        return text
    return text.translate(_MARKS)


def clean_line(text: str) -> str:
    r"""Return cleaned text that is sure to stay on one line: for file names and quotations in messages.

    >>> clean_line("two\nlines.md")
    'two␊lines.md'
    """
    return text if text.isprintable() else text.translate(_LINE_MARKS)


def settle(text: str) -> str:
    r"""Return text as the parsers see it: no byte order mark, `\n` for every line end, cleaned.

    >>> settle("\ufeffone\r\ntwo\rthree")
    'one\ntwo\nthree'
    """
    return clean(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def excerpt(text: str, length: int = 48) -> str:
    """Return the beginning of a text on one line, at most `length` characters, for messages."""
    folded = " ".join(clean_line(text.replace("\n", " ")).split())
    return folded if len(folded) <= length else folded[: length - 1].rstrip() + "…"
