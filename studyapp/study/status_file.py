"""The small cached status file: read before the store is opened, so that the first frame waits for nothing."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_status(path: Path) -> Mapping[str, Any] | None:
    """Return what the status file says, or None when there is none that can be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and data.get("version") == 1 else None


def replace_status(path: Path, status: Mapping[str, Any]) -> None:
    """Write the file whole (mode 600). It is only a cache: a full disk does not stop the learner."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".status-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(status, file, separators=(",", ":"))
        Path(temporary).replace(path)
    except OSError:
        return
