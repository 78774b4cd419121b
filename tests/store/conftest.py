from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from studyapp.store.database import Store, open_store
from tests.store.build import NOW_MS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store of a test lies: a real file, since WAL does not exist in memory."""
    return tmp_path / "studyapp" / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with open_store(path, now_ms=NOW_MS) as opened:
        yield opened
