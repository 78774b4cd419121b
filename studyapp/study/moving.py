"""Bringing decks in: any file or folder becomes lesson files of the learner's own, all of it or nothing.

The copies lie in the data folder's `lessons`; they are ordinary Markdown and read again at every start. Where a
file came from is remembered, so that a second import adds nothing and a newer version keeps every card's progress.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp import __version__
from studyapp.core.cards import Module
from studyapp.core.errors import StoreError, UsageError
from studyapp.decks.rewrite import write_file
from studyapp.store.card_marks import bring_marks
from studyapp.study.arriving import Arrival
from studyapp.study.backing_up import make_copy
from studyapp.study.gathering import Brought, Gathering, digest_of_text, imports_of, key_of

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

OWN = "lessons"
"""Folder of the learner's own lessons, in the data folder."""


def bring(desk: Desk | None, path: Path, folder: Path, *, dry_run: bool = False, title: str = "") -> Brought:
    """Import a file or a folder; everything that can be read is stored in one step, or nothing is.

    Args:
        desk: The open desk; None for a dry run where there is no store yet.
        path: What to import.
        folder: The folder of the learner's own lessons.
        dry_run: Only say what would happen.
        title: What to call the lesson that comes of one file; it is remembered for the next import of it.

    Raises:
        DeckError: If there is nothing at that path.
        UsageError: If a title is given for a folder.
        StoreError: If the lessons folder or the store cannot be written; nothing was changed.
    """
    brought = Brought()
    if title and path.is_dir():
        raise UsageError(f"--title names one lesson; {path} is a folder.", "Import its files one by one.")
    gathering = Gathering(desk, folder, brought, title)
    gathering.gather(path)
    gathering.adopt_moved()
    gathering.find_alike()
    brought.earlier = frozenset(card.id for card in gathering.before)
    store_arrivals(desk, folder, brought, dry_run=dry_run)
    return brought


def copy_once(desk: Desk) -> Callable[[], object]:
    """Return what copies the record before an import changes it, once however often it is called.

    A record without an answer is not copied: there is nothing in it that the files would not bring again.
    """
    made: list[Path] = []
    answered = desk.store.newest_review_ms() is not None  # asked now: a merge calls this within its transaction

    def first() -> None:
        if not made and answered:
            made.append(make_copy(desk, "before-import"))

    return first


def store_arrivals(
    desk: Desk | None,
    folder: Path,
    brought: Brought,
    *,
    dry_run: bool,
    first: Callable[[], object] | None = None,
) -> None:
    """Put the files that are ready into folder and store, all of them or none, and count what that changes.

    Args:
        desk: The open desk; None for a dry run where there is no store yet.
        folder: The folder of the learner's own lessons.
        brought: What was gathered.
        dry_run: Only count.
        first: Called before anything is changed; None copies the record.

    Raises:
        StoreError: If the folder or the store cannot be written; nothing was changed.
    """
    if desk is None:
        brought.new = len(brought.cards)
    elif dry_run:
        _store(desk, folder, brought, keep=False)
    elif brought.arrivals:
        if _would_change(desk, folder, brought):
            (first or copy_once(desk))()
        with _in_place(brought.arrivals, folder):
            _store(desk, folder, brought, keep=True)
        _remember(desk, folder, brought.arrivals)
    if desk is not None and not dry_run:
        bring_marks(desk.store, brought.marks, at_ms=desk.clock().at_ms)


def _module(arrival: Arrival, folder: Path) -> tuple[Module, str]:
    """Return the module as it is stored, with the hash that `lessons.bring_in` would give it."""
    module = replace(arrival.parsed.module, path=str(folder / arrival.name))
    return module, f"{digest_of_text(arrival.text)}-{__version__}"


def _store(desk: Desk, folder: Path, brought: Brought, *, keep: bool) -> None:
    modules = [_module(arrival, folder) for arrival in brought.arrivals]
    now_ms = desk.clock().at_ms
    for change in desk.store.save_modules(modules, now_ms=now_ms, keep=keep):
        brought.add(change)
    brought.count_moved()
    if keep:
        marks = [(card.id, name) for module, _ in modules for card in module.cards for name in card.own]
        bring_marks(desk.store, marks, at_ms=now_ms)


def _would_change(desk: Desk, folder: Path, brought: Brought) -> bool:
    """Return whether the record would be another one; where it holds no answer yet, nobody need know."""
    if desk.store.newest_review_ms() is None:
        return False
    counted = Brought(brought.arrivals)
    _store(desk, folder, counted, keep=False)
    return bool(counted.new or counted.changed or counted.gone)


def _remember(desk: Desk, folder: Path, arrivals: Sequence[Arrival]) -> None:
    """Note where each file came from; should this be cut short, the next import finds the copies by their text."""
    names = {arrival.name for arrival in arrivals}
    imports = {key: values for key, values in imports_of(desk).items() if values["name"] not in names}
    for arrival in arrivals:
        module, state = _module(arrival, folder)
        desk.store.meta_set(f"lesson:{folder / arrival.name}", f"{state} {module.id}")
        values = {
            "name": arrival.name,
            "digest": arrival.digest,
            "copy": arrival.imported or digest_of_text(arrival.text),
            **({"title": arrival.title} if arrival.title else {}),
        }
        imports[key_of(arrival.source)] = values
    desk.store.meta_set("imports", json.dumps(imports))


@contextlib.contextmanager
def _in_place(arrivals: Sequence[Arrival], folder: Path) -> Iterator[None]:
    """Put the files into the lessons folder; if what follows fails, put back what was there."""
    done: list[tuple[Path, bytes | None]] = []
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        for arrival in arrivals:
            target, data = folder / arrival.name, arrival.text.encode()
            before = target.read_bytes() if target.exists() else None
            if before != data:
                done.append((target, before))
                write_file(target, data)
        yield
    except BaseException as error:
        for target, before in reversed(done):
            with contextlib.suppress(OSError):
                _put_back(target, before)
        if isinstance(error, OSError):
            raise StoreError(f"{folder} cannot be written: {error.strerror}.", "Nothing was imported.") from error
        raise


def _put_back(target: Path, before: bytes | None) -> None:
    if before is None:
        target.unlink(missing_ok=True)
    else:
        write_file(target, before)
