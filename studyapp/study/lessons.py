"""Lesson files into the store: the shipped ones and the learner's own, read again only when they changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.cards import ExperimentLink, Parsed, Problem
from studyapp.core.errors import DeckError, UsageError

if TYPE_CHECKING:
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
    """Store every lesson that changed since last time and return the problems found in the changed ones."""
    problems: list[Problem] = []
    for path in _files([shipped(), *more], problems):
        _bring_file(desk, path, problems)
    if desk.options.release == "all":
        _release_everything(desk)
    return problems


def _files(places: Sequence[Path], problems: list[Problem]) -> list[Path]:
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            found += sorted(place.glob("*.md"))
        elif place.exists():
            found.append(place)
        else:
            problems.append(Problem(str(place), 0, "There is no such file or folder."))
    return found


def _bring_file(desk: Desk, path: Path, problems: list[Problem]) -> None:
    from studyapp.decks.files import read

    try:
        source = read(path)
        key = f"lesson:{path}"
        if desk.store.meta_get(key) == source.digest:
            return
        parsed = read_lesson(source.text, str(path))
        problems += [*source.problems, *parsed.problems]
        desk.store.save_module(parsed.module, source_hash=source.digest, now_ms=desk.clock().at_ms)
        desk.store.meta_set(key, source.digest)
    except DeckError as error:
        problems.append(Problem(str(path), 0, str(error)))


def read_lesson(text: str, path: str) -> Parsed:
    """Return what a lesson or deck gives, its experiment links checked against the catalog."""
    from studyapp.decks.load import parse

    return parse(text, path, known=known_experiment)


def _release_everything(desk: Desk) -> None:
    moment = desk.clock()
    for module in desk.store.modules():
        if any(section.read_at_ms is None for section in desk.store.sections(module.id)):
            desk.store.mark_read(module.id, None, at_ms=moment.at_ms, study_day=moment.study_day)
