"""Files changed in place, byte for byte: a reader sees the old one or the new one, never half of it.

The second place in this package that opens files.
"""

from __future__ import annotations

import codecs
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from studyapp.core.errors import DeckError
from studyapp.decks import files
from studyapp.decks.clean import clean_line

_WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Exact:
    """A file's text as it is on disk: byte order mark, line ends, trailing blanks and invalid bytes included."""

    path: Path
    """Where it really lies, links followed."""
    text: str
    encoding: str
    data: bytes


def read_exact(path: str | os.PathLike[str]) -> Exact:
    """Return a file's text so that writing it back gives the same bytes.

    Raises:
        DeckError: If it cannot be read.
    """
    real = Path(os.path.realpath(path))
    data = files.read_bytes(real)
    encoding = next((name for mark, name in _WIDE if data.startswith(mark)), "utf-8")
    return Exact(real, data.decode(encoding, "surrogateescape"), encoding, data)


def replace_text(exact: Exact, text: str) -> None:
    """Put a new text in a file's place, in one step, with the file's own encoding and mode.

    Raises:
        DeckError: If the file was changed meanwhile, or cannot be replaced; it is as it was.
    """
    name = clean_line(str(exact.path))
    data = text.encode(exact.encoding, "surrogateescape")
    if files.read_bytes(exact.path) != exact.data:
        raise DeckError(f"{name} was changed by another program just now.", "Try again; it was left as it is.")
    try:
        write_file(exact.path, data, stat.S_IMODE(exact.path.stat().st_mode))
    except OSError as error:
        raise DeckError(f"{name} cannot be replaced: {error.strerror}.", "It was left as it is.") from error


def write_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file in one step: whole under its name, or not there.

    Raises:
        OSError: If the folder cannot be written.
    """
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(mode)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
