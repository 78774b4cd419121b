"""A package as one private collection file: read, never unpacked.

Only members with names that we know are opened, and their bytes go to a file whose name is ours, in a folder that
only the learner may read and that is removed at the end. Sizes are counted while they are read; what a header
claims is not believed.
"""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from studyapp.core.errors import DeckError
from studyapp.decks.anki.protobuf import fields, number_of
from studyapp.decks.clean import clean_line
from studyapp.scratch import scratch_folder

MOST_BYTES = 4 * 2**30
"""Largest collection that is read: SQLite itself holds more, but no learner's deck does (our choice)."""
MOST_RATIO = 200
"""Most times a member may be larger than its compressed bytes; real collections reach about 30 (measured)."""
FREE_BYTES = 64 * 2**20
"""Up to this size any ratio is taken: an almost empty collection is mostly zeros."""
_CHUNK = 2**20
_SQLITE = b"SQLite format 3\0"
_MEMBERS = {3: "collection.anki21b", 2: "collection.anki21", 1: "collection.anki2"}
"""The collection's member by package version. Beside a newer one, collection.anki2 holds only a notice."""
_META_BYTES = 1024


@contextlib.contextmanager
def collection_file(path: Path, beside: Path) -> Iterator[Path]:
    """Yield the package's collection as a private SQLite file; it goes when the block ends.

    Args:
        path: An .apkg or .colpkg package, or a bare collection file.
        beside: An existing folder in which the private folder is made.

    Raises:
        DeckError: If the file is no package, cut off, newer than we know, too large, or needs a missing library.
    """
    name = clean_line(path.name)
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would be waited for
        raise DeckError(f"{clean_line(str(path))} is no file.", "Name an .apkg file.")
    try:
        with scratch_folder(".anki-", beside) as folder:
            target = folder / "collection.db"
            with path.open("rb") as source:
                _fetch(source, target, name)
            yield target
    except FileNotFoundError as error:
        raise DeckError(f"There is no file {clean_line(str(path))}.", "Name an .apkg file.") from error
    except OSError as error:
        raise DeckError(f"{name} cannot be read: {error.strerror or error}.", "Nothing was imported.") from error


def _fetch(source: IO[bytes], target: Path, name: str) -> None:
    start = source.read(len(_SQLITE))
    source.seek(0)
    if start == _SQLITE:
        _save(source, target, name, compressed_bytes=FREE_BYTES)
        return
    try:
        with zipfile.ZipFile(source) as package:
            _take_member(package, target, name)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DeckError(
            f"{name} is no Anki package, or it is cut off ({clean_line(str(error)) or 'it ends too early'}).",
            "Export or download it again; nothing was imported.",
        ) from error
    except (NotImplementedError, RuntimeError) as error:  # a password, a method that zipfile does not know
        raise DeckError(f"{name} cannot be read: {error}.", "Anki itself never writes such a package.") from error


def _take_member(package: zipfile.ZipFile, target: Path, name: str) -> None:
    info = package.getinfo(member := _member(package, name))
    with package.open(info) as compressed, contextlib.ExitStack() as stack:
        body: IO[bytes] = compressed
        if member == _MEMBERS[3]:
            body = stack.enter_context(_unzstd(compressed, name))
        _save(body, target, name, compressed_bytes=info.compress_size)
    with target.open("rb") as saved:
        if saved.read(len(_SQLITE)) != _SQLITE:
            raise DeckError(f"The collection in {name} is no Anki collection.", "Export it again from Anki.")


def _member(package: zipfile.ZipFile, name: str) -> str:
    """Return the member that holds the collection: the one that the package's version names, else the newest."""
    members = set(package.namelist())
    version = 0
    if "meta" in members:
        with package.open("meta") as meta:
            version = number_of(fields(meta.read(_META_BYTES)), 1)
    if version > max(_MEMBERS):
        raise DeckError(
            f"{name} is an Anki package of version {version}; this program knows versions up to {max(_MEMBERS)}.",
            "In Anki, export it again with “Support older Anki versions” ticked.",
        )
    wanted = [_MEMBERS[version]] if version else list(_MEMBERS.values())
    found = next((member for member in wanted if member in members), None)
    if found is None:
        raise DeckError(f"{name} holds no Anki collection.", "Export it again from Anki; nothing was imported.")
    return found


def _save(body: IO[bytes], target: Path, name: str, *, compressed_bytes: int) -> None:
    most = min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * compressed_bytes))
    written = 0
    with target.open("xb") as file:
        while chunk := body.read(_CHUNK):
            written += len(chunk)
            if written > most:
                raise DeckError(
                    f"The collection in {name} is larger than {most / 2**20:.0f} MiB when unpacked"
                    + ("." if most == MOST_BYTES else f", more than {MOST_RATIO} times its packed size."),
                    "It was left alone: no real deck packs like that.",
                )
            file.write(chunk)


@contextlib.contextmanager
def _unzstd(compressed: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    try:
        import zstandard
    except ImportError as error:
        raise DeckError(
            f"{name} is packed in Anki's newest format, which needs the package zstandard.",
            "Install it with: pip install 'studyapp[anki]' (or export from Anki with “Support older Anki "
            "versions” ticked).",
        ) from error
    reader: Any = zstandard.ZstdDecompressor().stream_reader(compressed, read_across_frames=True, closefd=False)
    try:
        yield reader
    except zstandard.ZstdError as error:
        raise DeckError(f"The collection in {name} is damaged ({error}).", "Export it again from Anki.") from error
    finally:
        reader.close()
