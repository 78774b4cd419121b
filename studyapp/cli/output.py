"""What the commands print: lines a terminal of any ability can show, or one strict JSON envelope.

Standard library only. Everything that came from outside passes `clean` on its way.
"""

from __future__ import annotations

import codecs
import json
import math
import os
import sys
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

from studyapp.decks.clean import clean

GLYPHS = {
    "–": "-", "—": "-", "…": "...", "·": "*", "•": "*", "→": "->", "←": "<-", "×": "x", "µ": "u", "μ": "u",
    "≤": "<=", "≥": ">=", "≈": "~", "±": "+-", "“": '"', "”": '"', "‘": "'", "’": "'",
    "✓": "x", "●": "*", "○": "o", "│": "|", "─": "-", "└": "+", "┴": "+",
}  # fmt: skip
"""What stands for a character that a stream cannot encode; all others become "?"."""
ERRORS = "studyapp-glyphs"


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(GLYPHS.get(char, "?") for char in error.object[error.start : error.end]), error.end


codecs.register_error(ERRORS, _replace)


def settle_streams() -> None:
    """Make the streams take anything, whatever the locale: no UnicodeError, and a closed one is no crash."""
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started us
        nothing = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  lives as long as the program
        sys.stdout, sys.stderr = sys.stdout or nothing, sys.stderr or nothing
    for stream, errors in ((sys.stdout, ERRORS), (sys.stderr, ERRORS), (sys.stdin, "replace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def only_ascii() -> None:
    """Make both streams write ASCII, with words for what it lacks: `--ascii`, or a locale that knows no more."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="ascii", errors=ERRORS)


def silence() -> None:
    """Point standard output at nothing: its reader has gone, and Python would complain while closing it."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)


def shows_utf8(stream: TextIO) -> bool:
    """Return whether a stream encodes as UTF-8."""
    try:
        return codecs.lookup(stream.encoding or "ascii").name == "utf-8"
    except LookupError:
        return False


def say(*lines: str) -> None:
    """Print lines to standard output, cleaned."""
    for line in lines:
        sys.stdout.write(clean(line) + "\n")


def note(*lines: str) -> None:
    """Print lines to standard error, cleaned."""
    for line in lines:
        sys.stderr.write(clean(line) + "\n")
    sys.stderr.flush()


def print_data(data: Any) -> None:
    """Print `{"ok": true, "data": ...}` on one line."""
    print_envelope({"ok": True, "data": data})


def print_envelope(envelope: Mapping[str, Any]) -> None:
    """Print one line of strict JSON in ASCII; nan and infinities are null."""
    sys.stdout.write(json.dumps(strict(envelope), allow_nan=False) + "\n")


def strict(value: Any) -> Any:
    """Return a value that strict JSON can hold; text is cleaned, for it may end on a terminal all the same."""
    if isinstance(value, Enum):
        return strict(value.value)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [strict(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return clean(os.fsencode(value).decode("utf-8", "replace"))
    return value


def columns(rows: list[list[str]]) -> list[str]:
    """Return rows as lines, every column but the last as wide as its widest entry."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)] if rows else []
    return ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]]) for row in rows]


def named(rows: list[list[str]]) -> list[str]:
    """Return rows as sentences in which every value says its column; the first row names the columns.

    >>> named([["run", "on", "verdict", ""], ["1", "cpu", "holds", "batch 64"], ["2", "cpu", "", ""]])
    ['Run 1: on cpu; verdict holds; batch 64.', 'Run 2: on cpu.']
    >>> named([["", "seconds"], ["kept", "2.0"]])
    ['kept: seconds 2.0.']
    """
    lines = []
    for row in rows[1:]:
        told = [f"{head} {text}".strip() for head, text in zip(rows[0][1:], row[1:], strict=True) if text]
        lines.append([f"{rows[0][0]} {row[0]}".strip(), "; ".join(told)])
    return spoken(lines, as_is=not rows[0][0])


def spoken(rows: list[list[str]], *, as_is: bool = False) -> list[str]:
    """Return rows of a name and a text as sentences: nothing to line up, nothing to see.

    A row without a name goes on with the one before.

    Args:
        rows: Names and texts.
        as_is: Whether the names are to be typed again, such as ids: their first letter stays small.
    """
    lines = []
    for name, text in rows:
        line = ": ".join(filter(None, (name, text)))
        end = "" if line.endswith((".", "?", "!", "`")) else "."
        lines.append(f"{line if as_is and name else line[:1].upper() + line[1:]}{end}")
    return lines


def plural(count: int, word: str) -> str:
    """Return "1 card" or "3 cards"."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
