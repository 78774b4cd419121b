"""Whose line is it: the learner's, a library's, or ours."""

from __future__ import annotations

import os
import runpy
from functools import lru_cache
from pathlib import Path
from types import FrameType

OURS = str(Path(__file__).parent) + os.sep
STANDARD = str(Path(os.__file__).parent) + os.sep
"""Where the standard library lies; sysconfig would load a module of its own to say so."""
_RUNNERS = (runpy.__file__, "<frozen runpy>")


@lru_cache(maxsize=4096)
def is_ours(name: str) -> bool:
    """Return whether a file belongs to the dock, or to what runs the script."""
    return name.startswith(OURS) or name in _RUNNERS


@lru_cache(maxsize=4096)
def is_library(name: str) -> bool:
    """Return whether a file belongs to a library, the standard one included, or to the dock."""
    if is_ours(name) or name.startswith("<frozen"):
        return True
    return name.startswith(STANDARD) or f"{os.sep}site-packages{os.sep}" in name or "dist-packages" in name


def line_of(frame: FrameType | None) -> tuple[str, int] | None:
    """Return file and line of the nearest frame that is the learner's, or None."""
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None
