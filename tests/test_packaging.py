"""What is installed works without the checkout: wheel and sdist are built, installed and used from elsewhere."""

from __future__ import annotations

import email
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.installed, pytest.mark.slow]

LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*", "_data", "dist", "build", "*.egg-info", "reports")
SHIPPED = ("studyapp", "data", "tests", "pictures", "benchmarks", "docs")
FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "constraints.txt", ".gitignore")
WATCH = f"""
import os, sys
def watch(event, args):
    if event == "open" and isinstance(args[0], str):
        path = os.path.abspath(args[0]) if not args[0].startswith("/") else args[0]
        if path.startswith(({str(ROOT / "studyapp")!r}, {str(ROOT / "data")!r})):
            os.write(2, b"READ FROM THE CHECKOUT: " + os.fsencode(path) + b"\\n")
sys.addaudithook(watch)
"""
"""Put into every installation: says when a file of the checkout is opened, in the worker as well."""


@dataclass(frozen=True)
class Built:
    """What was built, and which files the checkout held then."""

    wheel: Path
    sdist: Path
    files: frozenset[str]


def copy_checkout(target: Path) -> frozenset[str]:
    """Copy what belongs to the project; return the paths of its files."""
    target.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=LEFT_OUT)
    for name in FILES:
        shutil.copy(ROOT / name, target)
    return frozenset(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [str(word) for word in words], env=environ, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist, and the wheel made from it; the folder they were built from is gone."""
    place = tmp_path_factory.mktemp("build")
    files = copy_checkout(place / "checkout")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place / "dist", place / "checkout")
    shutil.rmtree(place / "checkout")
    (wheel,), (sdist,) = (place / "dist").glob("*.whl"), (place / "dist").glob("*.tar.gz")
    return Built(wheel, sdist, files)


class Installation:
    """A fresh environment that sees the libraries of this one, but not the checkout."""

    def __init__(self, place: Path, *what: str | Path) -> None:
        self.home = place / "home"
        self.home.mkdir()
        self.bin = place / "env" / "bin"
        run(sys.executable, "-m", "venv", "--without-pip", place / "env")
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.site = Path(run(self.bin / "python", "-c", code).stdout.strip())
        libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        (self.site / "libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
        (self.site / "watch_checkout.py").write_text(WATCH, encoding="utf-8")
        (self.site / "watch.pth").write_text("import watch_checkout\n", encoding="utf-8")
        pip = (sys.executable, "-m", "pip", "--python", self.bin / "python")
        run(*pip, "install", "--no-deps", "--no-build-isolation", *what)

    def run(
        self, *words: str, cwd: str | Path = "/", stdin: str = "", umask: int = -1
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment with an empty home."""
        done = subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            cwd=cwd,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=180,
            umask=umask,
            check=False,
        )
        assert "READ FROM THE CHECKOUT" not in done.stderr, done.stderr
        return done

    def data(self, *words: str, cwd: str | Path = "/") -> object:
        """Run a command with --json; return its data."""
        done = self.run("studyapp", *words, "--json", cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["data"]


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel in an environment of its own."""
    return Installation(tmp_path_factory.mktemp("installed"), built.wheel)


def test_g01_the_wheel_holds_exactly_the_package_and_the_lessons(built: Built) -> None:
    wanted = {name for name in built.files if name.startswith("studyapp/")}
    wanted |= {"studyapp/_data/" + name.removeprefix("data/") for name in built.files if name.startswith("data/")}
    with zipfile.ZipFile(built.wheel) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert held == wanted
    assert "studyapp/py.typed" in held
    for start, end in (
        ("studyapp/_data/modules/", ".md"),
        ("studyapp/tui/", ".tcss"),
        ("studyapp/store/migra", ".py"),
    ):
        assert any(name.startswith(start) and name.endswith(end) for name in held)


def test_g01_the_sdist_holds_everything_of_the_checkout(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        held = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}

    assert held - built.files == {"PKG-INFO"}
    assert built.files - held == set()


def test_g05_the_wheel_asks_for_any_recent_torch_and_refuses_old_pythons(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(wheel.read(name))

    assert metadata["Requires-Python"] == ">=3.11"
    assert [need for need in metadata.get_all("Requires-Dist", []) if need.startswith("torch")] == ["torch>=2.6"]


def test_g01_the_installed_program_is_the_one_that_runs(installed: Installation) -> None:
    code = "import studyapp.study.lessons as it; print(it.__file__); print(it.shipped())"
    python = installed.run("python", "-c", code).stdout.split()

    assert installed.run("studyapp", "--version").stdout.startswith("studyapp ")
    assert python == [
        str(installed.site / "studyapp/study/lessons.py"),
        str(installed.site / "studyapp/_data/modules"),
    ]


def test_g01_the_shipped_lessons_are_faultless_and_become_cards(installed: Installation) -> None:
    checked = installed.run("studyapp", "check", str(installed.site / "studyapp/_data/modules"))
    cards = installed.data("list")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert isinstance(cards, list)
    assert len(cards) >= 45


def test_g01_g03_an_answer_is_kept_in_a_private_place_and_counted(installed: Installation) -> None:
    cards = installed.data("list")
    assert isinstance(cards, list)
    answered = installed.run("studyapp", "answer", cards[0]["id"], "good", umask=0)
    status = installed.run("python", "-m", "studyapp", "status")
    place = installed.home / ".local/share/studyapp"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.iterdir() if path.is_file()}

    assert answered.returncode == 0, answered.stderr
    assert status.stdout.endswith("1 day\n")
    assert modes
    assert {mode & 0o077 for mode in modes.values()} == {0}, modes
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.torch
def test_g01_an_experiment_runs_among_files_that_bear_the_librarys_names(
    installed: Installation, tmp_path: Path
) -> None:
    for name in ("json.py", "torch.py", "studyapp.py", "random.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong file')\n", encoding="utf-8")
    (tmp_path / "data" / "modules").mkdir(parents=True)
    run = installed.data("run", "kept", cwd=tmp_path)

    assert isinstance(run, dict)
    assert run["experiment"] == "kept"
    assert run["points"]
    assert run["verdict"]["outcome"] in ("holds", "does_not_hold", "too_noisy")


def test_g01_the_program_runs_where_the_current_folder_is_gone(installed: Installation, tmp_path: Path) -> None:
    script = f'mkdir gone && cd gone && rmdir ../gone && exec "{installed.bin}/studyapp" list'
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=tmp_path,
        env={"HOME": str(installed.home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "gpus-and-cpus/" in done.stdout


def test_g01_nothing_was_written_beside_the_package(installed: Installation, built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        shipped = set(wheel.namelist())
    beside = {
        str(path.relative_to(installed.site))
        for path in (installed.site / "studyapp").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }

    assert beside - shipped == set()


def test_g01_the_sdist_installs_and_runs(built: Built, tmp_path: Path) -> None:
    installation = Installation(tmp_path, built.sdist)
    cards = installation.data("list")

    assert isinstance(cards, list)
    assert len(cards) >= 45


def test_an_editable_installation_reads_the_lessons_beside_the_package(tmp_path: Path) -> None:
    copy_checkout(tmp_path / "checkout")
    installation = Installation(tmp_path, "-e", tmp_path / "checkout")
    code = "import studyapp.study.lessons as it; print(it.shipped())"

    assert installation.run("python", "-c", code).stdout.strip() == str(tmp_path / "checkout/data/modules")
    assert not (tmp_path / "checkout/studyapp/_data").exists()
