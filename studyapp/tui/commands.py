"""One command, one place: its key, its words in the last row, its words in help and palette, and its action.

A screen's `BINDINGS` say all of it: `id` names the command, `description` is what the last row says, `tooltip`
what help and palette say, `action` what it does. This module reads them with the learner's own keys laid over them
(`[keys]` in the settings file), so that footer, help and palette always show the key that works.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding, BindingsMap
from textual.keys import REPLACED_KEYS, Keys, key_to_character

if TYPE_CHECKING:
    from textual.dom import DOMNode

NAMES = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "tab": "tab",
    "backspace": "backspace",
    "slash": "/",
    "shift+left": "shift ←",
    "shift+right": "shift →",
    "shift+up": "shift ↑",
    "shift+down": "shift ↓",
}
FORGEABLE = frozenset("ABCDEFGHMOPQRSZ[~<;0123456789")
"""What may arrive by itself when a slow line splits an arrow key, a function key or a mouse report."""
SPLIT_S = 1.0
"""How long after an escape the rest of a split sequence may come; tmux alone may take 0.5 s."""
INTRODUCERS = ("left_square_bracket", "O")


class Command(NamedTuple):
    """What a learner may press, in words."""

    id: str
    keys: tuple[str, ...]
    """The keys in force, as Textual names them."""
    words: str
    """What it does, for help and palette."""
    footer: str
    """What the last row calls it; empty where only help does."""
    action: str
    screen: str
    """The screen it belongs to; "everywhere" for those of the app."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The keys as a person reads them."""
        return tuple(named(key) for key in self.keys)


def keys_of(text: str) -> tuple[str, ...]:
    """Return the keys of a comma-separated list as Textual names them: "j, ?" is "j" and "question_mark"."""
    from textual.keys import _character_to_key

    parts = [part.strip() for part in text.split(",")] if text.strip() != "," else [","]
    return tuple(_character_to_key(part) if len(part) == 1 else part for part in parts)


@lru_cache(256)
def named(key: str) -> str:
    """Return a key as a person reads it: "question_mark" is "?", "escape" is "esc"."""
    if key in NAMES:
        return NAMES[key]
    if key == "space":
        return key
    return key_to_character(REPLACED_KEYS.get(key, key)) or key


def laid_over(binding: Binding, keys: Mapping[str, str]) -> Binding:
    """Return a binding under the learner's own keys, if there are any for it."""
    own = keys.get(binding.id or "")
    return binding if own is None else replace(binding, key=",".join(keys_of(own)), key_display=None)


def remapped(bindings: BindingsMap, keys: Mapping[str, str]) -> BindingsMap:
    """Return a node's bindings with the learner's own keys in place of the usual ones."""
    if not keys:
        return bindings
    found: dict[str, list[Binding]] = {}
    done: set[str] = set()
    for key, binding in bindings:
        if binding.id not in keys:
            found.setdefault(key, []).append(binding)
        elif binding.id not in done:
            done.add(binding.id or "")
            for own in keys_of(keys[binding.id or ""]):
                found.setdefault(own, []).insert(0, replace(binding, key=own, key_display=None))
    return BindingsMap.from_keys(found)


def bindings_of(kind: type[DOMNode]) -> list[Binding]:
    """Return a class's bindings that are commands, its own first; one it redefines counts once."""
    from textual.app import App
    from textual.screen import Screen

    found: dict[str, Binding] = {}
    for base in kind.__mro__:
        if base in (App, Screen) or not base.__module__.startswith("studyapp."):
            continue
        for binding in base.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding):
                found.setdefault(binding.id or binding.key, binding)
    return list(found.values())


def commands_of(kind: type[DOMNode], keys: Mapping[str, str], screen: str) -> list[Command]:
    """Return what can be pressed on a screen, with the keys in force."""
    return [
        Command(
            id=binding.id or "",
            keys=keys_of(binding.key),
            words=binding.tooltip or binding.description,
            footer=binding.description if binding.show else "",
            action=binding.action,
            screen=screen,
        )
        for binding in (laid_over(b, keys) for b in bindings_of(kind))
    ]


def filled(text: str, commands: Iterable[Command]) -> str:
    """Return a help text with each `{command.id}` replaced by the key in force."""
    first = {command.id: command.shown[0] for command in commands if command.shown}
    return re.sub(r"\{([a-z]+(?:\.[a-z0-9]+)?)\}", lambda found: first.get(found[1], found[0]), text)


def is_key(key: str) -> bool:
    """Return whether a terminal can send a key of this name."""
    *modifiers, last = key.split("+")
    known = {str(k.value) for k in Keys}
    if key in known or key in REPLACED_KEYS or (len(key) == 1 and key.isprintable()):
        return True
    if any(modifier not in ("ctrl", "shift") for modifier in modifiers):
        return False
    return bool(key_to_character(last)) if not modifiers else last in known or (len(last) == 1 and last.isalnum())


class SplitSequences:
    """Knows the pieces of a key that a slow line split: what follows escape and "[" or "O" was not typed."""

    def __init__(self) -> None:
        self._escaped = float("-inf")
        self._inside = False

    def swallows(self, key: str, at: float) -> bool:
        """Return whether this key is a piece of a split sequence.

        Args:
            key: The key's name.
            at: When it came, in seconds of a clock that only goes forward.
        """
        if key == "escape":
            self._escaped, self._inside = at, False
            return False
        if at - self._escaped > SPLIT_S:
            self._inside = False
            return False
        if self._inside:
            self._escaped = at
            character = key_to_character(key) or ""
            self._inside = not (character.isalpha() or character == "~" or len(character) != 1)
            return True
        self._inside = key in INTRODUCERS
        self._escaped = at if self._inside else float("-inf")
        return self._inside
