"""The learner's own keys, checked before anything is drawn: unknown commands, unknown keys and clashes are named.

It imports every screen, so it is asked only where the settings file has a `[keys]` table, and by `studyapp keys`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from studyapp.core.errors import UsageError
from studyapp.tui.commands import FORGEABLE, Command, commands_of, is_key, keys_of, named

EVERYWHERE = "everywhere"
GRAVE = ("grade.", "review.suspend", "review.bury", "read.all", "browse.suspend", "browse.delete")
"""Commands, or their first letters, that no split escape sequence may reach."""


def all_commands(keys: Mapping[str, str]) -> list[Command]:
    """Return every command of every screen and of the app, with the keys in force."""
    from textual.screen import Screen

    import studyapp.tui.screens as folder
    from studyapp.tui.app import StudyApp

    found = commands_of(StudyApp, keys, EVERYWHERE)
    for module in iter_modules(folder.__path__):
        members = vars(import_module(f"studyapp.tui.screens.{module.name}"))
        for name, kind in members.items():
            mine = isinstance(kind, type) and kind.__module__.endswith(f".{module.name}")
            if mine and issubclass(kind, Screen) and name != "StudyScreen" and "BINDINGS" in kind.__dict__:
                found += commands_of(kind, keys, name.removesuffix("Screen").lower())
    return found


def check_keys(keys: Mapping[str, str], config: Path) -> None:
    """Refuse a `[keys]` table that cannot be.

    Raises:
        UsageError: For a command that does not exist, a key that no terminal sends, or a key given to two commands
            of one screen; it names the file and what is near.
    """
    if not keys:
        return
    usual = {command.id: command for command in all_commands({})}
    for name, text in keys.items():
        if name not in usual:
            near = difflib.get_close_matches(name, usual, n=3, cutoff=0.5)
            advice = f"Did you mean {' or '.join(near)}? " if near else ""
            raise UsageError(
                f"{config}: [keys] has no command {name!r}.", f"{advice}`studyapp keys` lists them all."
            )
        for key in keys_of(text):
            _check_key(name, key, config)
    _check_clashes(keys, config)


def _check_key(name: str, key: str, config: Path) -> None:
    if not is_key(key):
        raise UsageError(
            f"{config}: [keys] {name} cannot be {key!r}: no terminal sends such a key.",
            'Write a letter, a digit, a sign, or a name such as "space", "f5", "ctrl+d"; several as "j,down".',
        )
    if name.startswith(GRAVE) and key in FORGEABLE and not key.isdigit():
        raise UsageError(
            f"{config}: [keys] {name} cannot be {key!r}: a slow line may split an arrow key into that letter.",
            "Choose a small letter.",
        )


def _check_clashes(keys: Mapping[str, str], config: Path) -> None:
    commands = all_commands(keys)
    everywhere = [command for command in commands if command.screen == EVERYWHERE]
    for screen in dict.fromkeys(command.screen for command in commands):
        taken: dict[str, Command] = {}
        here = [command for command in commands if command.screen == screen]
        for command in [*(everywhere if screen != EVERYWHERE else []), *here]:
            for key in command.keys:
                other = taken.setdefault(key, command)
                if other.id != command.id and (other.id in keys or command.id in keys):
                    where = "everywhere" if screen == EVERYWHERE else f"on the screen {screen}"
                    raise UsageError(
                        f"{config}: [keys] gives {named(key)!r} to two commands {where}: "
                        f"{other.id} ({other.words}) and {command.id} ({command.words}).",
                        "Give one of them another key.",
                    )
