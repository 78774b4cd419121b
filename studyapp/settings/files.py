"""The settings file: the settings that it names, as text, and the learner's own keys."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from studyapp.core.errors import UsageError
from studyapp.settings.values import PARSERS


def read_toml(path: Path) -> dict[str, str]:
    """Return the settings that a TOML file names, as text; none if there is no file.

    Raises:
        UsageError: If the file does not parse or names a setting that does not exist.
    """
    if not path.is_file():
        return {}
    try:
        return toml_texts(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: {error}.", "Mend the line or move the file away.") from None


def toml_texts(text: str, path: str) -> dict[str, str]:
    """Return the settings that a TOML text names, as text; the path is for the messages.

    Raises:
        UsageError: If the text does not parse or names a setting that does not exist.
    """
    import tomllib  # most learners have no file: do not load the parser for them

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}.", "Mend the line or move the file away.") from None
    data.pop("keys", None)  # no settings but keys of commands: `read_keys`
    flat: dict[str, str] = {}
    for name, value in data.items():
        if name == "retention_of" and isinstance(value, dict):
            flat[name] = ",".join(f"{module}={number}" for module, number in value.items())
            continue
        entries = (
            {f"{name}_{key}": item for key, item in value.items()} if isinstance(value, dict) else {name: value}
        )
        for key, item in entries.items():
            many = key == "lessons" and isinstance(item, list)
            flat[key] = os.pathsep.join(str(part) for part in item) if many else _as_text(item)
    unknown = sorted(set(flat) - set(PARSERS))
    if unknown:
        known = ", ".join(sorted(PARSERS))
        raise UsageError(f"{path}: unknown setting {unknown[0]!r}.", f"Known settings: {known}.")
    return flat


def read_keys(path: Path) -> dict[str, str]:
    """Return the table `[keys]` of a TOML file that parses: the keys of each command as one text.

    Both `"review.bury" = "v"` and `review.bury = "v"` name the command; a list gives it several keys.

    Raises:
        UsageError: If an entry is no text and no list of texts.
    """
    if not path.is_file():
        return {}
    import tomllib

    found: dict[str, str] = {}

    def gather(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for name, item in value.items():
                gather(f"{prefix}.{name}" if prefix else name, item)
        elif isinstance(value, str) and value.strip():
            found[prefix] = value
        elif isinstance(value, list) and value and all(isinstance(part, str) and part for part in value):
            found[prefix] = ",".join(value)
        else:
            raise UsageError(f"{path}: [keys] {prefix} cannot be {value!r}.", 'Write it like "v" or "j,down".')

    gather("", tomllib.loads(path.read_text(encoding="utf-8")).get("keys", {}))
    return found


def _as_text(item: Any) -> str:
    if isinstance(item, bool):
        return "on" if item else "off"
    if isinstance(item, list):
        return shlex.join(str(part) for part in item)
    return str(item)
