"""Lesson and deck files on disk: found without following loops, read as UTF-8 whatever the locale says.

One bad file never stops the others: `scan` lists what it skips, `read` raises a `DeckError` with one sentence.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studyapp.core.cards import Problem
from studyapp.core.errors import DeckError
from studyapp.decks.clean import clean_line, settle

MAX_BYTES = 4 * 1024 * 1024
"""Largest lesson or deck that is read; far above any text written by hand."""
SUFFIXES = (".md", ".markdown", ".txt")
"""What a lesson's or deck's name may end with."""
TABLES = (".csv", ".tsv")
"""What a table's name ends with."""
YAML = (".yaml", ".yml")
"""What the name of a file of cards in YAML ends with."""
IMPORTED = (*SUFFIXES, *TABLES, *YAML, ".html", ".htm")
"""What can be checked and imported; a folder of lessons holds only the first of these."""
PACKAGES = (".apkg", ".colpkg")
"""What the name of a package of Anki ends with: an archive, read by others."""
MAX_TABLE_BYTES = 64 * 1024 * 1024
"""Largest table that is read: some 100,000 cards."""
_MAX_REPORTED = 5  # lines with invalid bytes that are named one by one
_MAX_BROKEN = 0.1  # share of unreadable characters above which a file is no text (Latin-1 prose has 1 to 5 %)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text, ready for a parser."""

    path: Path
    text: str
    """Settled: no byte order mark, newlines only, control characters made visible."""
    problems: tuple[Problem, ...] = ()
    """Lines that held invalid bytes."""
    encoding: str = "utf-8"
    """What it was read as."""

    @property
    def digest(self) -> str:
        """Return 32 hex digits over the text: the same for the same text in another encoding or line end."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """Something found in a folder: a file to read, or the reason why it is skipped."""

    path: Path
    skipped: str = ""
    """One sentence without the name; "" for a file to read."""
    look: tuple[int, ...] = field(default=(), compare=False)
    """What tells a changed file without reading it: inode, size, times of change in nanoseconds."""


def read(path: str | os.PathLike[str], fallback: str = "") -> Source:
    """Return a file's text.

    Args:
        path: The file.
        fallback: Encoding to read it in where it is not UTF-8, for files of programs that never say; "" to put a
            mark in the place of every invalid byte instead.

    Raises:
        DeckError: If it is missing, not a regular file, not readable, too large or no text.
    """
    name = clean_line(os.fspath(path))
    data = read_bytes(path, limit_of(path))
    encoding, body = "utf-8", data
    for bom, candidate in _BOMS:
        if data.startswith(bom):
            encoding, body = candidate, data[len(bom) :]
            break
    else:
        if data.count(0) * 4 > len(data):
            raise DeckError(f"{name} is not text, or UTF-16 without a byte order mark.", "Save it as UTF-8.")
    if fallback and encoding == "utf-8" and not _is_utf8(body):
        return Source(Path(path), settle(body.decode(fallback, "replace")), (), fallback)
    text, problems = _decode(body, encoding, name)
    return Source(Path(path), settle(text), problems, encoding)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def limit_of(path: str | os.PathLike[str]) -> int:
    """Return the largest size of a file, in bytes: tables are written by programs and may be large."""
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122 - a third of the time
    if suffix in PACKAGES:
        return sys.maxsize  # has limits of its own, on what is in it
    return MAX_TABLE_BYTES if suffix in TABLES else MAX_BYTES


def scan(path: str | os.PathLike[str], suffixes: Sequence[str] = SUFFIXES) -> list[Entry]:
    """Return the files to read under a path, and what is skipped there, by name; a single file is one entry.

    Args:
        path: A file or a folder.
        suffixes: What the names of a folder's files may end with.

    Folders and files whose names begin with a dot are left out. Nothing is opened, so no pipe can block.

    Raises:
        DeckError: If there is nothing at that path.
    """
    top = Path(path)
    try:
        mode = top.stat().st_mode
    except (OSError, ValueError) as error:
        raise DeckError(f"{clean_line(str(top))} cannot be found: {_why(error)}.", "Check the path.") from error
    return list(_folder(top, suffixes)) if stat.S_ISDIR(mode) else [Entry(top, look=_look(top.stat()))]


def glance(path: str | os.PathLike[str]) -> list[str]:
    """Return what is under a path and when it changed, as lines to compare: the same lines mean the same `scan`.

    Much faster than that: nothing is opened, sorted out or said.
    """
    found: list[str] = []
    waiting, seen = [os.fspath(path)], set[str]()
    while waiting:
        place = waiting.pop()
        try:
            status = os.stat(place)  # noqa: PTH116 - as below
            if stat.S_ISDIR(status.st_mode) and (key := f"{status.st_dev} {status.st_ino}") not in seen:
                seen.add(key)
                with os.scandir(place) as entries:
                    for entry in entries:
                        _glance(entry, found, waiting)
            else:
                found.append(f"{place} {_look(status)}")
        except OSError as error:
            found.append(f"{place} {error.errno}")
    return sorted(found)


def _glance(entry: os.DirEntry[str], found: list[str], waiting: list[str]) -> None:
    if entry.name.startswith("."):
        return
    try:
        if entry.is_dir():
            waiting.append(entry.path)
        status = entry.stat()
        inode, size, wrote, changed = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        found.append(f"{entry.path} {inode} {size} {wrote} {changed}")
    except OSError as error:
        found.append(f"{entry.path} {error.errno}")


def _look(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """Return a file's bytes; a pipe is never waited for, a file above `limit` bytes never read.

    Raises:
        DeckError: If it is missing, not a regular file, not readable or too large.
    """
    name = clean_line(os.fspath(path))
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            if reason := _refusal(os.fstat(file.fileno()), limit):
                raise DeckError(f"{name} is {reason}.", "Give a Markdown or text file.")
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise DeckError(f"{name} cannot be read: {_why(error)}.", "Check the path and its permissions.") from error
    if len(data) > limit:
        raise DeckError(f"{name} is larger than {limit >> 20} MiB.", "Split it into several files.")
    return data


def _open_without_waiting(path: str, flags: int) -> int:
    # else a named pipe would wait for a writer for ever
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refusal(status: os.stat_result, limit: int) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "a pipe, socket or device, not a file"
    if status.st_size > limit:
        return f"{status.st_size >> 20} MiB large, more than the {limit >> 20} MiB that are read"
    return ""


def _why(error: Exception) -> str:
    return clean_line((error.strerror if isinstance(error, OSError) else "") or str(error)).lower()


def _decode(data: bytes, encoding: str, name: str) -> tuple[str, tuple[Problem, ...]]:
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    if text.count("\ufffd") > _MAX_BROKEN * len(text) + 1:
        raise DeckError(f"{name} is not {encoding.upper()} text.", "Save it as UTF-8.")
    settled = settle(text).split("\n")
    broken = [number for number, line in enumerate(settled, 1) if "\ufffd" in line]
    message = f"a byte here is not valid {encoding.upper()} and is shown as \ufffd; save the file as UTF-8"
    problems = [Problem(name, number, message) for number in broken[:_MAX_REPORTED]]
    if more := broken[_MAX_REPORTED:]:
        problems.append(Problem(name, more[0], f"so are bytes in {len(more)} more lines from here on"))
    return text, tuple(problems)


def _folder(top: Path, suffixes: Sequence[str]) -> Iterator[Entry]:
    """Yield the entries under a folder; each real folder is entered once, so link loops end."""
    seen: set[tuple[int, int]] = set()
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            status = folder.stat()
            key = (status.st_dev, status.st_ino)
            if key in seen:
                yield Entry(folder, "leads back to a folder that was read already")
                continue
            seen.add(key)
            names = sorted(os.listdir(folder))  # noqa: PTH208 - names only, no Path for files we skip
        except OSError as error:
            yield Entry(folder, f"cannot be opened: {_why(error)}")
            continue
        folders, entries = _sort(folder, names, suffixes)
        yield from entries
        waiting += reversed(folders)


def _sort(folder: Path, names: list[str], suffixes: Sequence[str]) -> tuple[list[Path], list[Entry]]:
    """Return the folders and the entries of one folder."""
    folders, entries, others = [], [], 0
    place = os.fspath(folder)
    for name in names:
        if name.startswith("."):
            continue
        try:
            status = os.stat(f"{place}/{name}")  # noqa: PTH116 - a third of the time of a Path's own
        except OSError as error:
            entries.append(Entry(folder / name, f"leads nowhere: {_why(error)}"))
            continue
        if stat.S_ISDIR(status.st_mode):
            folders.append(folder / name)
        elif os.path.splitext(name)[1].lower() not in suffixes:  # noqa: PTH122 - the same
            others += 1
        else:
            reason = _refusal(status, limit_of(name))
            entries.append(Entry(folder / name, f"is {reason}" if reason else "", _look(status)))
    if others:
        files = "file is" if others == 1 else "files are"
        entries.append(Entry(folder, f"{others} {files} neither {', '.join(suffixes[:-1])} nor {suffixes[-1]}"))
    return folders, entries
