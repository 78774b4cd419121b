from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from studyapp.scratch import scratch_folder

KILLED = """
import os, pathlib, signal, sys
from studyapp.scratch import scratch_folder

with scratch_folder(".merge-", pathlib.Path(sys.argv[1])) as folder:
    (folder / "large").write_bytes(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_kill_left_goes_with_the_next_folder_and_what_is_in_use_stays(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "large").exists()

    with scratch_folder(".merge-", tmp_path) as first, scratch_folder(".merge-", tmp_path) as second:
        assert first.stat().st_mode & 0o077 == 0
        assert set(tmp_path.iterdir()) == {first, second}

    assert list(tmp_path.iterdir()) == []


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    other, own = tmp_path / ".anki-1", tmp_path / ".merge-mine"
    other.mkdir()
    own.mkdir()

    with scratch_folder(".merge-", tmp_path):
        assert other.exists()
        assert own.exists()
