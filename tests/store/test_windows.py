from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from studyapp.core.errors import StaleShowingError
from studyapp.core.reviews import Memory
from studyapp.store.database import Store, open_store
from tests.store.build import (
    NOW_MS,
    ROOT,
    a_row,
    answer,
    python,
    with_cards,
)


def test_d02_an_answer_on_a_card_that_changed_in_another_window_is_not_stored(path: Path, store: Store) -> None:
    with_cards(store, "a")
    with open_store(path, now_ms=NOW_MS) as other:
        answer(other, "a")

    with pytest.raises(StaleShowingError, match="another window"):
        store.record(a_row("a"), expected=Memory())

    assert len(store.reviews()) == 1


SEVEN = """
import os, signal, sys
from pathlib import Path
from studyapp.store.database import open_store
from tests.store.build import NOW_MS, answer, with_cards
store = open_store(Path(sys.argv[1]), now_ms=NOW_MS)
with_cards(store, *"abcdefgh")
for card in "abcdefg":
    answer(store, card)
os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGHUP"])
def test_a15_seven_answers_before_a_kill_are_exactly_seven_rows(path: Path, name: str) -> None:
    done = python(SEVEN, path, name)

    assert done.returncode == -getattr(signal, name), done.stderr
    with open_store(path, now_ms=NOW_MS) as again:
        assert [row.card for row in again.reviews()] == list("abcdefg")
        assert [row.card for row in again.new_rows(9)] == ["h"]
        assert again.integrity() == []


def test_threads_may_share_a_store(store: Store) -> None:
    cards = [f"c{number}" for number in range(20)]
    with_cards(store, *cards)
    errors: list[BaseException] = []

    def work(mine: list[str]) -> None:
        try:
            for card in mine:
                answer(store, card)
                store.active_days()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(cards[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert sorted(row.counter for row in store.reviews()) == list(range(1, 21))


WRITER = """
import sys
from pathlib import Path
from studyapp.store.database import open_store
from tests.store.build import NOW_MS, answer
with open_store(Path(sys.argv[1]), now_ms=NOW_MS) as store:
    for number in range(25):
        answer(store, f"c{sys.argv[2]}_{number}")
        store.idle()
"""


def test_d02_four_programs_write_a_hundred_answers_without_an_error(path: Path, store: Store) -> None:
    with_cards(store, *(f"c{writer}_{number}" for writer in range(4) for number in range(25)))
    command = [sys.executable, "-W", "error", "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, str(writer)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for writer in range(4)
    ]

    ends = [(writer.communicate(timeout=100)[1], writer.returncode) for writer in writers]

    assert ends == [("", 0)] * 4
    rows = store.reviews()
    assert [row.counter for row in rows] == sorted(row.counter for row in rows)
    assert sorted(row.counter for row in rows) == list(range(1, 101))
    assert store.integrity() == []
