"""Changing one setting in the learner's TOML file: comments, order and everything else in it stay as they are.

With `setting_list` alone in the study room it knows `settings`: changing one is a use case, obeying it is not.
"""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

import tomllib

from studyapp.core.errors import StoreError, UsageError
from studyapp.settings import checked
from studyapp.settings.files import read_toml, toml_texts
from studyapp.settings.values import PARSERS

NOT_KEPT = {"now": "A frozen clock is for one call alone: say --now."}
"""Settings that are no habit, with what to do instead."""


def set_setting(config: Path, name: str, text: str) -> None:
    """Write one setting into the TOML file, made if there is none; whoever reads meanwhile sees old or new.

    Args:
        config: The TOML file.
        name: The setting's name, such as "zone".
        text: Its value as the environment or a flag would give it: "on", "04:30", "a:b" for folders.

    Raises:
        UsageError: If there is no such setting, the value cannot be, or the file as it is does not parse.
        StoreError: If the file cannot be written; it is as it was.
    """
    require_known(name)
    if not text.isprintable():  # surrogates, control characters
        raise UsageError(f"config {name}: the value has characters that cannot be kept.", "Write it in UTF-8.")
    value = checked(name, text, f"config {name}")
    _rewrite(config, name, _toml_value(name, text, value))


def unset_setting(config: Path, name: str) -> bool:
    """Take one setting out of the TOML file, so that its default holds; return whether it was there.

    Raises:
        UsageError: If there is no such setting, or the file as it is does not parse.
        StoreError: If the file cannot be written; it is as it was.
    """
    require_known(name)
    if name not in read_toml(config):
        return False
    _rewrite(config, name, None)
    return True


def _rewrite(config: Path, name: str, value: str | None) -> None:
    before = read_toml(config)  # a file that is wrong already is said, not made worse
    text = _with_value(_text_of(config), name, value)
    unsafe = UsageError(f"{config} is written in a way that cannot be changed safely.", "Change it in an editor.")
    try:
        after = toml_texts(text, str(config))
    except UsageError:  # such as a table of the same name
        raise unsafe from None
    after_without, before_without = ({**texts, name: ""} for texts in (after, before))
    if (name in after) is (value is None) or after_without != before_without:
        raise unsafe
    _replace(config, text)


def require_known(name: str) -> None:
    """Raise unless there is a setting of that name which can be kept.

    Raises:
        UsageError: If there is none.
    """
    if name in NOT_KEPT:
        raise UsageError(f"{name} is not kept in the settings file.", NOT_KEPT[name])
    if name not in PARSERS:
        known = ", ".join(sorted(PARSERS))
        raise UsageError(f"There is no setting {name!r}.", f"Known settings: {known}.")


def _text_of(config: Path) -> str:
    if not config.is_file():
        return ""
    with config.open(encoding="utf-8", newline="") as file:  # newline="": line ends stay what they are
        return file.read()


def _toml_value(name: str, text: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value!r}"
    if isinstance(value, time):
        return _quoted(value.isoformat("minutes"))
    if isinstance(value, tuple):
        parts = text.split(os.pathsep) if name == "lessons" else shlex.split(text)
        return "[" + ", ".join(_quoted(part) for part in parts if part) + "]"
    return _quoted(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class _Piece:
    """One statement of a TOML file with the lines it takes, or a comment or an empty line."""

    lines: tuple[str, ...]
    data: dict[str, Any]
    table: str
    """The table it stands in, "" at the top; of a header, the table that it opens."""
    is_header: bool

    def holds(self, name: str) -> bool:
        """Whether the statement gives the setting its value."""
        return not self.is_header and name in _flat(self.data, self.table)


def _flat(data: dict[str, Any], table: str) -> dict[str, Any]:
    """Return the settings that a statement names; a table's name stands before its keys, as in worker_command."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{table}_{key}" if table else key
        if isinstance(value, dict) and not table:
            flat |= {f"{name}_{inner}": item for inner, item in value.items()}
        else:
            flat[name] = value
    return flat


def _pieces(text: str) -> list[_Piece]:
    """Cut a TOML text that parses into statements: each takes lines until those parse by themselves."""
    found: list[_Piece] = []
    table, pending = "", []
    for line in _lines(text):
        pending.append(line)
        try:
            data = tomllib.loads("".join(pending))
        except tomllib.TOMLDecodeError:
            continue  # a list or a text over several lines
        header = pending[0].lstrip().startswith("[")
        if header:
            table = next(iter(data))
        found.append(_Piece(tuple(pending), data, table, header))
        pending = []
    return found


def _lines(text: str) -> list[str]:
    """Cut at line feeds alone, as TOML does, and keep them."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _with_value(text: str, name: str, value: str | None) -> str:
    """Return the text with the setting at that TOML value, or without it."""
    pieces = _pieces(text)
    places = [place for place, piece in enumerate(pieces) if piece.holds(name)]
    texts = ["".join(piece.lines) for piece in pieces]
    if places:
        texts[places[0]] = _changed(pieces[places[0]], name, value)
    elif value is not None:
        _insert(texts, pieces, f"{name} = {value}\n")
    return "".join(texts)


def _changed(piece: _Piece, name: str, value: str | None) -> str:
    statement = "".join(piece.lines)
    flat = _flat(piece.data, piece.table)
    key, _, _ = statement.partition("=")
    comment = _comment(statement)
    if len(flat) == 1 and not _is_inline(statement, piece):
        return "" if value is None else f"{key.rstrip()} = {value}{comment}"
    # an inline table: written anew with the one entry changed
    (outer, entries), *_ = piece.data.items()
    inner = name.removeprefix(f"{outer}_")
    kept = {entry: _literal(item) for entry, item in entries.items() if entry != inner}
    if value is not None:
        kept[inner] = value
    written = ", ".join(f"{entry} = {item}" for entry, item in kept.items())
    return f"{key.rstrip()} = {{ {written} }}{comment}" if kept else ""


def _is_inline(statement: str, piece: _Piece) -> bool:
    value = statement.partition("=")[2].lstrip()
    return value.startswith("{") and isinstance(next(iter(piece.data.values())), dict)


def _literal(item: Any) -> str:
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, list):
        return "[" + ", ".join(_literal(part) for part in item) + "]"
    return repr(item) if isinstance(item, int | float) else _quoted(str(item))


def _comment(statement: str) -> str:
    """Return what follows the value on its last line: spaces, a comment, the end of the line."""
    *before, last = _lines(statement)
    data = tomllib.loads(statement)
    for place, letter in enumerate(last):
        if letter != "#":
            continue
        try:
            if tomllib.loads("".join(before) + last[:place]) == data:  # else the sign is within a text
                return last[len(last[:place].rstrip()) :]
        except tomllib.TOMLDecodeError:
            continue
    return last[len(last.rstrip("\r\n")) :]


def _insert(texts: list[str], pieces: list[_Piece], line: str) -> None:
    """Put a new line behind the last setting at the top, at any rate before the first table."""
    first_header = next((place for place, piece in enumerate(pieces) if piece.is_header), len(pieces))
    top = [place for place in range(first_header) if pieces[place].data]
    if top or first_header == len(pieces):
        place = top[-1] + 1 if top else len(pieces)
        if place and not texts[place - 1].endswith("\n"):
            texts[place - 1] += "\n"
        texts.insert(place, line)
        return
    place = first_header
    while place and texts[place - 1].lstrip().startswith("#"):  # a comment right above belongs to the table
        place -= 1
    texts.insert(place, line + "\n")


def _replace(config: Path, text: str) -> None:
    """Write the file whole; a link to a file kept elsewhere stays a link, and the file keeps its mode.

    Raises:
        StoreError: If it cannot be written.
    """
    target = config.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".config-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                Path(temporary).chmod(target.stat().st_mode & 0o777)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreError(
            f"The settings file {config} cannot be written: {error.strerror}.",
            "Give yourself write permission, or name another file with STUDYAPP_CONFIG.",
        ) from error
