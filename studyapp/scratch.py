"""Private folders for what is made on the way, which not even a kill leaves behind for good."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_LOCK = "lock"


@contextlib.contextmanager
def scratch_folder(prefix: str, beside: Path) -> Iterator[Path]:
    """Yield a new folder that only the learner may read; it goes when the block ends.

    Folders of the same name that a killed process left there go first: they may hold hundreds of megabytes. One in
    use is told by the lock that its process holds.

    Args:
        prefix: What its name begins with, with a dot in front.
        beside: The folder in which it is made.

    Raises:
        OSError: If it cannot be made there.
    """
    _sweep(prefix, beside)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=beside) as name:
        folder = Path(name)
        with (folder / _LOCK).open("wb") as lock:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder


def _sweep(prefix: str, beside: Path) -> None:
    for folder in beside.glob(f"{prefix}*"):
        with contextlib.suppress(OSError), (folder / _LOCK).open("rb+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
