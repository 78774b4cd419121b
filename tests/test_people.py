"""Several people on one host: each has a private record, and nobody's files stand in anybody's way."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

import pytest

ROOT = Path(__file__).parents[1]
PATHS = os.pathsep.join([str(ROOT), *(path for path in sys.path if path.endswith("-packages"))])
PYTHONS = (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
"""Ours, or the system's of the same version: one of them may lie where others can read it."""
pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can play several people"
)


@dataclass(frozen=True)
class Person:
    """A user of this host, without a name in its list of users."""

    uid: int
    home: Path
    python: str = sys.executable

    def start(self, *words: str, **environ: str) -> subprocess.Popen[str]:
        """Start the program as this person, with the most careless umask there is."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "PYTHONPATH": PATHS, **environ}
        return subprocess.Popen(
            [self.python, *words],
            env={**env, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd="/",
            user=self.uid,
            group=self.uid,
            extra_groups=[],
            umask=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def says(self, *words: str, **environ: str) -> tuple[int, str, str]:
        """Run the program to its end; return exit code, output and error output."""
        process = self.start(*words, **environ)
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error


@pytest.fixture
def people() -> Iterator[tuple[Person, Person]]:
    place = Path(tempfile.mkdtemp(prefix="people-"))
    place.chmod(0o755)
    found = []
    for uid in (61_001, 61_002):
        home = place / str(uid)
        home.mkdir()
        os.chown(home, uid, uid)
        found.append(Person(uid, home))
    try:
        python = next((python for python in PYTHONS if _works(replace(found[0], python=python))), None)
        if python is None:
            pytest.skip("this environment cannot be read by others")
        yield replace(found[0], python=python), replace(found[1], python=python)
    finally:
        rmtree(place)


def _works(person: Person) -> bool:
    try:
        return person.says("-c", "import studyapp, sqlalchemy, textual")[0] == 0
    except OSError:
        return False


def modes(place: Path) -> dict[str, int]:
    return {str(path): stat.S_IMODE(path.lstat().st_mode) for path in place.rglob("*") if not path.is_symlink()}


def test_g03_two_people_study_at_once_and_neither_can_read_the_others_record(
    people: tuple[Person, Person],
) -> None:
    first, second = people
    running = [person.start("-m", "studyapp", "due", "--json") for person in people]
    for process in running:
        out, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        assert json.loads(out)["ok"] is True

    record = first.home / ".local/share/studyapp"
    assert stat.S_IMODE(record.stat().st_mode) == 0o700
    loose = {path: oct(mode) for path, mode in modes(record).items() if mode & 0o077}
    assert loose == {}
    code, _, error = second.says("-c", f"open({str(record / 'study.db')!r}, 'rb').read()")
    assert code == 1
    assert "PermissionError" in error


@pytest.mark.torch
def test_g03_two_people_run_experiments_at_once_without_a_folder_for_temporary_files(
    people: tuple[Person, Person], tmp_path: Path
) -> None:
    words = ("-m", "studyapp", "run", "sharding", "--json")
    running = [person.start(*words, TMPDIR=str(tmp_path / "nowhere")) for person in people]
    for process in running:
        out, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        assert json.loads(out)["data"]["verdict"]["outcome"] in ("holds", "does_not_hold", "cannot_test")


def test_g03_help_and_version_need_no_home_and_no_temporary_folder(people: tuple[Person, Person]) -> None:
    first, _ = people
    for words in (("--help",), ("--version",), ("run", "--help")):
        code, out, error = first.says("-m", "studyapp", *words, HOME="/nowhere", TMPDIR="/nowhere")
        assert (code, error) == (0, "")
        assert "studyapp" in out
