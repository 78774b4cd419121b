"""Writes the text of every screen anew: `python -m tests.tui.snapshots`, then read the difference."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.tui.gallery import renew

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(f"{renew(Path(folder))} screens changed; `git diff tests/tui/snapshots` shows how.")
