"""The learner's editor on a card's file, and the file read again afterwards; edits keep the progress.

Shipped lessons are read-only: a copy in the learner's own folder takes their place under the same ids.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.cards import Problem
from studyapp.core.errors import StudyError, UsageError
from studyapp.decks import files, rewrite
from studyapp.study import lessons

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

_PLUS = re.compile(
    r"(?:n?vim?|g?vi[mx]?|view|nano|pico|emacs(?:client)?|micro|joe|jed|mg|ne|kak|mcedit|ed|ee|nvi)\Z"
)
"""Editors that take `+LINE FILE`."""
_COLON = re.compile(r"(?:hx|helix|subl|sublime_text|zed|lite-xl|amp|flow)\Z")
"""Editors that take `FILE:LINE`."""
_GOTO = re.compile(r"(?:code(?:-insiders|-server|-oss)?|codium|cursor|windsurf)\Z")
"""Editors that take `--goto FILE:LINE`, and `--wait` to stay until the file is closed."""
_USUAL = ("sensible-editor", "nano", "vim", "vi")
"""Tried in this order where nothing is chosen."""


class EditorError(StudyError):
    """The editor is missing or ended with an error; what it wrote is in the file all the same."""

    kind = "editor"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card is written."""

    path: Path
    line: int
    """From 1."""
    module: str
    is_shipped: bool
    """Whether it came with the program, so that it is copied before it is edited."""


def place_of(desk: Desk, card_id: str) -> Place:
    """Return where a card is written.

    Raises:
        UsageError: If it is written in no file.
    """
    card = desk.store.card(card_id)
    if card is None:
        raise UsageError(f"There is no card {card_id!r}.", "`studyapp list` shows the cards.")
    path = Path(card.path)
    if card.hidden:
        raise UsageError("This card has left its file.", "`studyapp orphans` lists such cards.")
    if not path.is_file():
        raise UsageError("It came from an Anki package, so no file here holds it.", "Edit it in Anki.")
    return Place(path, max(1, card.line), card.module, is_shipped(path))


def is_shipped(path: Path) -> bool:
    """Return whether a file came with the program."""
    top = lessons.shipped().resolve()
    return path.resolve() == top or top in path.resolve().parents


def copy_own(place: Place, folder: Path) -> Place:
    """Copy a shipped lesson into the learner's own folder, where it takes the shipped one's place.

    Args:
        place: A card's place in it.
        folder: The folder of the learner's own lessons; made where it is missing.

    Raises:
        EditorError: If it cannot be written.
    """
    target = folder / place.path.name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not target.exists():
            rewrite.write_file(target, place.path.read_bytes())
    except OSError as error:
        raise EditorError(
            f"{target} cannot be written: {error.strerror}.", "Make room, then try again."
        ) from error
    return Place(target, place.line, place.module, False)


def editor_command(setting: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the learner's editor as words: the setting, $VISUAL, $EDITOR, else one that is here.

    Raises:
        EditorError: If there is none.
    """
    for text in (setting, environ.get("VISUAL", ""), environ.get("EDITOR", "")):
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise EditorError(f"The editor {text!r} cannot be read: {error}.", "Mend $EDITOR.") from error
        if words:
            return words
    for name in _USUAL:
        if shutil.which(name, path=environ.get("PATH")):
            return [name]
    raise EditorError("No editor was found.", 'Set EDITOR, or editor = "..." in the settings file.')


def at_line(command: Sequence[str], path: Path, line: int) -> list[str]:
    """Return the words that open a file at a line, as far as the editor is known to do so.

    >>> at_line(["nano"], Path("a.md"), 7)
    ['nano', '+7', 'a.md']
    """
    name = Path(command[0]).name.removesuffix(".exe")
    words, file = list(command), str(path)
    if _PLUS.match(name):
        return [*words, f"+{line}", file]
    if _COLON.match(name):
        return [
            *words,
            *([] if "--wait" in words or not name.startswith("subl") else ["--wait"]),
            f"{file}:{line}",
        ]
    if _GOTO.match(name):
        return [*words, *([] if {"--wait", "-w"} & set(words) else ["--wait"]), "--goto", f"{file}:{line}"]
    return [*words, file]


def run_editor(command: Sequence[str], path: Path, line: int) -> None:
    """Open a file in the editor on this terminal and wait until it is left.

    Raises:
        EditorError: If the editor is not there, or ended with an error.
    """
    argv = at_line(command, path, line)
    try:
        code = subprocess.call(argv)
    except OSError as error:
        raise EditorError(f"{argv[0]} cannot be started: {error.strerror}.", "Set EDITOR to another.") from error
    if code:
        raise EditorError(f"The editor {argv[0]} ended with {code}.", "What it saved was read all the same.")


def reread(desk: Desk, places: Sequence[Path]) -> list[Problem]:
    """Bring in what changed in the lesson files, as at the start; return what their authors should mend."""
    desk.problems = lessons.bring_in(desk, places)
    return desk.problems


def own_files(places: Sequence[Path]) -> list[Path]:
    """Return the lesson files that belong to the learner, those a card can be added to."""
    found = []
    for place in places:
        if place.exists():
            found += [Path(entry.path) for entry in files.scan(place) if not entry.skipped]
    return [path for path in found if not is_shipped(path)]
