"""Every setting with its value, its default and where the value comes from, in words for a list or a screen."""

from __future__ import annotations

import ast
import inspect
import os
import shlex
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

from studyapp.settings import Settings, load
from studyapp.settings.values import PARSERS
from studyapp.study.configuring import NOT_KEPT

DEFAULT = "default"
"""The source of a value that nobody chose."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it stands."""

    name: str
    value: str
    """As `set_setting` takes it."""
    default: str
    source: str
    """The settings file, STUDYAPP_NAME, TZ, a flag, or "default"."""
    words: str
    """What it is for; "" where its name says it."""
    takes: str
    """What its value may be; "" for any text."""


def every_setting(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Setting]:
    """Return every setting that can be kept in the file, in the order of `PARSERS`.

    Args:
        settings: The settings in force.
        environ: The environment they were read from.
    """
    bare = {name: value for name, value in environ.items() if not name.startswith("STUDYAPP_")}
    defaults = load({"data_dir": str(settings.data_dir)}, {**bare, "STUDYAPP_CONFIG": os.devnull})
    words = _words()
    return [
        Setting(
            name,
            text_of(name, settings),
            text_of(name, defaults),
            settings.sources.get(name, DEFAULT),
            words.get(name, ""),
            _takes(name),
        )
        for name in PARSERS
        if name not in NOT_KEPT
    ]


def text_of(name: str, settings: Settings) -> str:
    """Return a setting's value as the file, the environment or a flag would give it."""
    value: Any = settings.zone_name if name == "zone" else getattr(settings, name)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        paths = name == "lessons" or any(isinstance(part, Path) for part in value)
        return os.pathsep.join(map(str, value)) if paths else shlex.join(value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={part}" for key, part in value.items())
    return str(value)


def _takes(name: str) -> str:
    """Return what the parser says when it is given nonsense: it names what it takes."""
    try:
        PARSERS[name]("\0")
    except ValueError as error:
        return str(error).removeprefix("say ").partition(";")[0]
    return "a time zone such as Europe/Paris" if name == "zone" else ""


def _words() -> dict[str, str]:
    """Return the sentence below each field of `Settings`: what a setting is for is written down once, there."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(Settings))).body[0]
    except (OSError, SyntaxError):  # no source came along
        return {}
    found: dict[str, str] = {}
    name = ""
    for statement in getattr(body, "body", ()):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
        elif name and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            found[name], name = " ".join(str(statement.value.value).split()), ""
        else:
            name = ""
    return found
