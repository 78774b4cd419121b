"""Lesson files into the store: the shipped ones and the learner's own, read again only when they changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from studyapp import __version__
from studyapp.core.cards import ExperimentLink, Module, Parsed, Problem
from studyapp.core.errors import DeckError, UsageError

if TYPE_CHECKING:
    from studyapp.decks.files import Entry
    from studyapp.study.desk import Desk


def shipped() -> Path:
    """Return the folder of the shipped lessons: inside the installed package, else beside it (checkout)."""
    package = Path(__file__).parent.parent
    inside = package / "_data" / "modules"
    return inside if inside.is_dir() else package.parent / "data" / "modules"


def known_experiment(link: ExperimentLink) -> str | None:
    """Return what is wrong with an experiment link, or None: `decks` gets this as a value."""
    from studyapp.experiments.catalog import experiment

    try:
        experiment(link.experiment).parse_controls(link.controls)
    except UsageError as error:
        return str(error)
    return None


def bring_in(desk: Desk, more: Sequence[Path] = ()) -> list[Problem]:
    """Store every lesson that changed since last time and return the problems found in the changed ones.

    A module whose file is gone is hidden with its cards; it comes back with its history when the file does. A
    learner's own copy of a shipped lesson, under the same id, takes its place.
    """
    seen = _seen([*more, shipped()])  # before anything is read: what changes meanwhile is read again
    known = _known(desk)
    if known.get("look") == _look(desk, seen):  # neither the files nor what is stored of them was touched
        return [Problem(*said) for said in known["said"]]
    problems: list[Problem] = []
    entries, ours = _files(more, problems), _files([shipped()], problems)
    said = [(problem.path, problem.line, problem.message) for problem in problems]
    _take_in(desk, entries, ours, problems)
    unread = any(problem.line == 0 for problem in problems[len(said) :])  # is tried again at the next start
    if not unread and _has_settled(desk, [*entries, *ours]):
        desk.store.meta_set(_LOOK, json.dumps({"look": _look(desk, seen), "said": said}))
    return problems


_LOOK = "lessons"
"""Key of what the lessons looked like when they were last brought in, and what was said of the folders."""
_SETTLED_NS = 2_000_000_000
"""A file that changed this short a time ago may change again within one tick of its file system's clock."""


def _known(desk: Desk) -> dict[str, Any]:
    """Return what was kept of the last look; nothing where another version wrote it in its own way."""
    try:
        found = json.loads(desk.store.meta_get(_LOOK) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _seen(places: Sequence[Path]) -> list[str]:
    from studyapp.decks.files import glance

    return [line for place in places for line in (os.fspath(place), *glance(place))]


def _look(desk: Desk, seen: Sequence[str]) -> str:
    """Return a digest of what files and stored lessons look like together."""
    text = "\n".join([__version__, desk.options.release, desk.store.lessons_kept(), *seen])
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _has_settled(desk: Desk, entries: Sequence[Entry]) -> bool:
    latest_ns = max((max(entry.look[2:]) for entry in entries), default=0)
    return latest_ns <= desk.clock().at_ms * 1_000_000 - _SETTLED_NS


def _take_in(desk: Desk, entries: Sequence[Entry], ours: Sequence[Entry], problems: list[Problem]) -> None:
    """Read what changed, the learner's own files first, and store it."""
    present: set[str] = set()
    own: list[_Changed] = []
    for entry in entries:
        present |= _read_file(desk, entry.path, present, own, problems)
    mine = frozenset(present)
    changed: list[_Changed] = []
    for entry in ours:
        present |= _read_file(desk, entry.path, present, changed, problems, mine)
    changed += own  # shipped lessons come first where modules are listed
    if changed:  # all in one transaction: each one waits for the disk
        modules = [(one.module, one.state) for one in changed]
        desk.store.save_modules(modules, now_ms=desk.clock().at_ms)
        desk.store.meta_set_all({f"lesson:{one.name}": f"{one.state} {one.module.id}" for one in changed})
    desk.store.hide_missing(present)
    if desk.options.release == "all":
        _release_everything(desk)


class _Changed(NamedTuple):
    """A lesson to be stored."""

    name: str
    state: str
    module: Module


def _files(places: Sequence[Path], problems: list[Problem]) -> list[Entry]:
    from studyapp.decks.files import scan

    found: list[Entry] = []
    for place in places:
        if not place.exists():
            problems.append(Problem(str(place), 0, "There is no such file or folder."))
            continue
        for entry in scan(place):
            if entry.skipped:
                problems.append(Problem(str(entry.path), 0, entry.skipped))
            else:
                found.append(entry)
    return found


def _read_file(
    desk: Desk,
    path: Path,
    present: set[str],
    changed: list[_Changed],
    problems: list[Problem],
    instead: frozenset[str] = frozenset(),
) -> set[str]:
    """Read one file if it changed; return the id of its module, also when it cannot be read just now.

    One whose module is among those that other files stand for `instead` is passed over.
    """
    from studyapp.decks.files import read

    name = os.fsencode(path).decode("utf-8", "replace")  # the same name, whatever the locale made of it
    known, _, module = (desk.store.meta_get(f"lesson:{name}") or "").partition(" ")
    try:
        source = read(path)
        state = f"{source.digest}-{__version__}"  # a newer program may read the same text better
        if known == state and (module in instead or desk.store.module_hash(module) == state):
            return {module}
        parsed = read_lesson(source.text, name)
        if parsed.module.id in instead:
            desk.store.meta_set(f"lesson:{name}", f"{state} {parsed.module.id}")
            return {parsed.module.id}
        if parsed.module.id in present:
            raise DeckError(
                f"Its module id '{parsed.module.id}' is used by another lesson.", "Give it another id."
            )
        problems += [*source.problems, *parsed.problems]
        changed.append(_Changed(name, state, parsed.module))
    except DeckError as error:
        problems.append(Problem(name, 0, str(error)))
        return {module} if module else set()
    return {parsed.module.id}


def read_lesson(text: str, path: str) -> Parsed:
    """Return what a lesson or deck gives, its experiment links checked against the catalog."""
    from studyapp.decks.load import parse

    return parse(text, path, known=known_experiment)


def _release_everything(desk: Desk) -> None:
    moment = desk.clock()
    for module in desk.store.modules():
        if any(section.read_at_ms is None for section in desk.store.sections(module.id)):
            desk.store.mark_read(module.id, None, at_ms=moment.at_ms, study_day=moment.study_day)
