"""A shared folder, or a git repository: one append-only file of JSON lines per device, which the others read.

Nobody writes to another's file, so two machines never conflict. A torn line is left out; what it held is written
again by its owner. Each machine remembers how far it has read and written.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp.core.errors import StoreError
from studyapp.store.exporting import FLAGGED, flagged, flagged_since, marks, since
from studyapp.store.files import make_private_file
from studyapp.store.lines import Reader
from studyapp.store.merging import Merged, merge_staged
from studyapp.store.revision import SHIPPED
from studyapp.store.staging import staged_lines
from studyapp.study.rebuilding import policies

if TYPE_CHECKING:
    from collections.abc import Callable

    from studyapp.store.merging import Progress
    from studyapp.study.desk import Desk

_NAME = re.compile(r"[0-9a-f]{32}\.jsonl")


@dataclass
class State:
    """How far this device has read and written in one folder."""

    pushed: dict[str, int] = field(default_factory=dict)
    """Row numbers up to which everything was written, by table."""
    came: list[tuple[str, int, int]] = field(default_factory=list)
    """Row numbers beyond that came from the folder itself."""
    read: dict[str, Any] = field(default_factory=dict)
    """By segment: bytes read, and the columns that its last header named."""
    size: int = 0
    """Bytes of the own segment when it was last written."""


def _key(desk: Desk, folder: Path) -> str:
    place = hashlib.blake2b(os.fsencode(folder.resolve()), digest_size=8).hexdigest()
    return f"sync {desk.store.device} {place}"


def _load(desk: Desk, folder: Path) -> State:
    try:
        return State(**json.loads(desk.store.meta_get(_key(desk, folder)) or "{}"))
    except (ValueError, TypeError):
        return State()  # everything is read and written again: the union takes it


def _save(desk: Desk, folder: Path, state: State) -> None:
    desk.store.meta_set(_key(desk, folder), json.dumps(asdict(state)))


def require(folder: Path) -> None:
    """Raise unless the folder is there.

    Raises:
        StoreError: If it is not; it may not be mounted.
    """
    if not folder.is_dir():
        raise StoreError(f"The folder {folder} is not there.", "Mount it, or change the setting sync.")


def read_in(desk: Desk, folder: Path, *, first: Callable[[], object], progress: Progress) -> Merged:
    """Merge what the other devices have written since last time.

    Raises:
        StoreError: If the folder is missing or a segment was written by a newer program.
    """
    require(folder)
    state = _load(desk, folder)
    total = Merged()
    own = f"{desk.store.device}.jsonl"
    for segment in sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.name != own):
        seen, columns = state.read.get(segment.name, (0, {}))
        with _new_lines(segment, seen) as (lines, end):
            if end == seen:
                continue
            reader = Reader(SHIPPED.known, columns if seen <= end else {})
            with staged_lines(desk.store, lines, reader) as draft:
                merged = merge_staged(desk.store, draft, policies(desk), first=first, progress=progress)
                merged = replace(merged, twice=merged.twice + reader.twice)
        state.read[segment.name] = (end, reader.columns)
        state.came += merged.came
        _save(desk, folder, state)
        total = _sum(total, merged)
    return total


@contextmanager
def _new_lines(segment: Path, seen: int) -> Iterator[tuple[Iterator[str], int]]:
    """Yield the whole lines after a place, and the place where the last of them ends."""
    try:
        with segment.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = seen if size >= seen else 0  # rewritten, or brought back from a copy
            file.seek(start)
            data = file.read(size - start)
    except OSError as error:
        raise StoreError(f"{segment} cannot be read: {error.strerror or error}.", "Look at the folder.") from error
    whole = data[: data.rfind(b"\n") + 1]  # the last line may still be on its way
    yield (line.decode("utf-8", "replace") for line in whole.splitlines()), start + len(whole)


def _sum(one: Merged, other: Merged) -> Merged:
    names = ("reviews", "cards", "runs", "predictions", "readings", "moved", "twice", "notes", "challenges")
    return Merged(
        **{name: getattr(one, name) + getattr(other, name) for name in names}, came=one.came + other.came
    )


def write_out(desk: Desk, folder: Path) -> int:
    """Append to this device's segment what was added since last time; return how many lines.

    Raises:
        StoreError: If the folder is missing or cannot be written.
    """
    require(folder)
    state = _load(desk, folder)
    segment = folder / f"{desk.store.device}.jsonl"
    try:
        size = segment.stat().st_size if segment.exists() else 0
        if size < state.size:  # truncated or deleted by somebody: write it all again
            state.pushed = {}
        with desk.store.read() as connection:
            reached = marks(connection) | {FLAGGED: flagged(connection)}
            lines = [*since(connection, state.pushed, state.came), *flagged_since(connection, state.pushed)]
        if lines:
            _append(segment, lines)
        after = segment.stat().st_size if segment.exists() else 0
    except OSError as error:
        raise StoreError(
            f"{segment} cannot be written: {error.strerror or error}.", "Look at the setting sync."
        ) from error
    if lines or state.came or after != state.size:
        _save(desk, folder, State(reached, [], state.read, after))
    return len(lines)


def _append(segment: Path, lines: list[str]) -> None:
    new = not segment.exists()
    make_private_file(segment)
    with segment.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            torn = file.read(1) != b"\n"  # a line broken off last time: close it, it is left out by readers
            file.seek(0, os.SEEK_END)
            if torn:
                file.write(b"\n")
        file.write("".join(f"{line}\n" for line in lines).encode())
        file.flush()
        os.fsync(file.fileno())
    if new:
        descriptor = os.open(segment.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
