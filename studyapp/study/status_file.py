"""The small cached status file: read before the store is opened, so that the first frame waits for nothing."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studyapp.core.places import data_dir
from studyapp.core.prompt import prompt_file, prompt_lines


def read_status(path: Path) -> Mapping[str, Any] | None:
    """Return what the status file says, or None when there is none that can be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and data.get("version") == 1 else None


def replace_status(path: Path, status: Mapping[str, Any]) -> None:
    """Write the file whole (mode 600), and the lines that a shell reads by itself.

    Both are only caches: a full disk does not stop the learner.
    """
    with contextlib.suppress(OSError):
        _replace(path, json.dumps(status, separators=(",", ":")))
        # a store that was named for this once must not show in every prompt
        if path == Path(data_dir(os.environ, sys.platform)).expanduser().absolute() / "status.json":
            lines = Path(prompt_file(os.environ, sys.platform))
            lines.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(lines, prompt_lines(status))


def _replace(path: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(temporary).replace(path)
