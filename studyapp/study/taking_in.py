"""An export taken in again: its lessons become files, its record is merged; nothing comes twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp.core.cards import LeftOut, Problem
from studyapp.core.errors import DeckError
from studyapp.decks import load
from studyapp.decks.clean import clean, clean_line, settle
from studyapp.store.origins import ORIGIN
from studyapp.study import arriving
from studyapp.study.exporting import FORMAT
from studyapp.study.gathering import Brought
from studyapp.study.lessons import known_experiment
from studyapp.study.moving import copy_once, store_arrivals
from studyapp.study.travelling import lines_of

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

MAX_BYTES = 1024 * 1024 * 1024
"""Largest export that is read: a record of some million answers."""


def take_in(desk: Desk | None, path: Path, folder: Path, *, dry_run: bool = False) -> Brought:
    """Import a file that `export` wrote; lessons that are here already with another text are left as they are.

    Args:
        desk: The open desk; None for a dry run where there is no store yet.
        path: The file.
        folder: The folder of the learner's own lessons.
        dry_run: Only say what would happen.

    Raises:
        DeckError: If it is no such file, or of a newer format; nothing was changed.
        StoreError: If the store cannot take it; nothing was changed.
    """
    data = _read(path)
    brought = Brought()
    places = {module.id: module.path for module in desk.store.modules()} if desk else {}
    without_file = _cards_without_file(data["record"])
    for entry in data["lessons"]:
        if str(entry.get("module")) not in without_file:
            _take_lesson(entry, path, folder, brought, places)
    store_arrivals(
        desk, folder, brought, dry_run=True
    )  # counted before the record brings the cards, without a text
    arriving_too = {card for cards in without_file.values() for card in cards}
    known = arriving_too & desk.store.card_ids() if desk else set()
    brought.new, brought.unchanged = brought.new + len(arriving_too - known), brought.unchanged + len(known)
    if desk is not None and not dry_run:
        first = copy_once(desk)
        brought.reviews = _merge(desk, data["record"], path, brought, first)
        store_arrivals(desk, folder, Brought(brought.arrivals), dry_run=False, first=first)
    return brought


def _read(path: Path) -> dict[str, Any]:
    name = clean_line(str(path))
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DeckError(
                f"{name} is larger than {MAX_BYTES >> 20} MiB.", "Use `studyapp merge` with the store."
            )
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise DeckError(f"{name} cannot be read: {error.strerror}.", "Check the path.") from error
    except (ValueError, RecursionError) as error:
        raise DeckError(
            f"{name} is not JSON: {clean(str(error))}.", "Give a file that `studyapp export` wrote."
        ) from error
    number = data.get("studyapp_export") if isinstance(data, dict) else None
    if not isinstance(number, int) or not _is_whole(data):
        raise DeckError(f"{name} is no export of studyapp.", "Decks as JSON of other programs are not read.")
    if number > FORMAT:
        raise DeckError(
            f"{name} is of a newer format ({number}); this program reads {FORMAT}.", "Update studyapp."
        )
    whole: dict[str, Any] = data
    return whole


def _is_whole(data: dict[str, Any]) -> bool:
    record, lessons = data.get("record"), data.get("lessons")
    return (
        isinstance(lessons, list)
        and all(
            isinstance(k, dict) and isinstance(k.get("text"), str) and isinstance(k.get("name"), str)
            for k in lessons
        )
        and isinstance(record, dict)
        and {"studyapp", "schema", "columns", "rows"} <= record.keys()
        and isinstance(record["rows"], dict)
        and all(isinstance(rows, list) for rows in record["rows"].values())
    )


def _cards_without_file(record: dict[str, Any]) -> dict[str, list[str]]:
    """Return the modules that came from Anki with the cards they show; no lesson stands behind them."""

    def rows(table: str) -> list[dict[str, Any]]:
        names = record["columns"].get(table, ())
        return [
            dict(zip(names, row, strict=False)) for row in record["rows"].get(table, ()) if isinstance(row, list)
        ]

    found: dict[str, list[str]] = {
        str(row.get("id")): [] for row in rows("modules") if str(row.get("path")).startswith(ORIGIN)
    }
    for row in rows("cards"):
        module = str(row.get("module"))
        if module in found and not row.get("hidden"):
            found[module].append(str(row.get("id")))
    return found


def _take_lesson(
    entry: dict[str, Any], path: Path, folder: Path, brought: Brought, places: Mapping[str, str]
) -> None:
    # the name is an outside text: only its letters count, so it never leads out of the folder
    name, text = f"{arriving.plain_name(Path(entry['name']).stem)}.md", settle(entry["text"])
    target = folder / name
    where = f"{clean_line(str(path))}: lesson {name}"
    if target.exists() and load.read(target).text != text:
        brought.problems.append(Problem(where, 0, "is here already with another text; that one was left as it is"))
        return
    parsed = load.parse(text, name, known_experiment)
    if (place := places.get(parsed.module.id, str(target))) != str(target):
        brought.left_out.append((where, LeftOut(0, f"is read from {clean_line(place)} already")))
        return
    brought.problems += [Problem(where, problem.line, problem.message) for problem in parsed.problems]
    brought.arrivals.append(arriving.Arrival(path / name, name, text, arriving.text_digest(text), parsed))


def _merge(desk: Desk, record: dict[str, Any], path: Path, brought: Brought, first: Callable[[], object]) -> int:
    from studyapp.store.lines import Reader
    from studyapp.store.merging import merge_staged
    from studyapp.store.revision import SHIPPED
    from studyapp.store.staging import staged_lines
    from studyapp.study.rebuilding import policies

    reader = Reader(SHIPPED.known)
    with staged_lines(desk.store, lines_of(record), reader) as draft:
        merged = merge_staged(desk.store, draft, policies(desk), first=first)
    if reader.damaged:
        brought.problems.append(
            Problem(clean_line(str(path)), 0, f"damaged rows of the record, left out: {reader.damaged}")
        )
    if reader.twice:
        brought.problems.append(
            Problem(clean_line(str(path)), 0, f"rows of a showing that was answered already, kept: {reader.twice}")
        )
    return merged.reviews
