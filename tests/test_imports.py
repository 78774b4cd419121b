"""What really loads, seen in fresh interpreters; and that the worker's half runs where only old Python is."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import tomllib

from studyapp.experiments.worker.loop import NO_TORCH_EXIT
from tests.conftest import ROOT, RunPython

HEAVY = ("torch", "sqlalchemy", "alembic", "plotext", "fsrs", "markdown_it", "mdit_py_plugins", "numpy")
TRAVELS_CORE = (
    "errors",
    "percent",
    "points",
    "verdicts",
    "figures",
    "grades",
    "optimising",
    "policy",
    "reviews",
    "roofline",
    "strict",
)
"""Core files that go along when the worker travels to another interpreter or host."""
STATUS_OPENS = 9
"""Files `status` may open beyond those of json and time, with compiled files in place: 6 were measured (Python
3.11: five of ours and the status file), times 1.5."""

LOADED = "import json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
AS_SCRIPT = "import sys; sys.argv = ['studyapp', *{words!r}]; from studyapp.__main__ import main; code = main()"


def loaded_after(run_python: RunPython, code: str, *flags: str) -> set[str]:
    """Return the modules in a fresh interpreter after it ran some code."""
    done = run_python(*flags, "-c", f"{code}\n{LOADED}")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr))


def heavy(modules: set[str], *more: str) -> list[str]:
    return sorted({name.partition(".")[0] for name in modules} & {*HEAVY, *more})


def write_status(tmp_path: Path) -> None:
    day = {"starts_ms": 0, "iso": "2026-03-01", "review": 3, "new": 1, "relearning": 0, "streak": 2}
    folder = tmp_path / "home" / ".local" / "share" / "studyapp"
    folder.mkdir(parents=True)
    (folder / "status.json").write_text(json.dumps({"version": 1, "days": [day]}), encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="the status file is written to Linux's place")
@pytest.mark.parametrize("known", [False, True], ids=["without a record", "with a record"])
@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["status", "--exit-code"]], ids=" ".join)
def test_status_loads_what_json_and_time_load_and_five_small_files(
    run_python: RunPython, tmp_path: Path, words: list[str], known: bool
) -> None:
    if known:
        write_status(tmp_path)
    plain = loaded_after(run_python, "import json, os, sys, time")
    status = loaded_after(run_python, AS_SCRIPT.format(words=words))

    ours = {"studyapp", "studyapp.__main__", "studyapp.core", "studyapp.core.places", "studyapp.core.prompt"}
    assert status - plain == ours


def test_version_loads_next_to_nothing(run_python: RunPython) -> None:
    added = loaded_after(run_python, AS_SCRIPT.format(words=["--version"])) - loaded_after(run_python, "pass")

    assert added == {"studyapp", "studyapp.__main__"}


def opened_by(run_python: RunPython, code: str) -> list[str]:
    """Return the files that some code opens in a fresh interpreter, compiled files being in place."""
    watch = (
        "import sys; opened = []; sys.addaudithook(lambda e, a: opened.append(str(a[0])) if e == 'open' else None)"
    )
    whole = f"{watch}\n{code}\nseen = list(opened)\nimport json; sys.stderr.write(json.dumps(seen))"
    run_python("-c", whole)  # compiles
    done = run_python("-c", whole)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stderr))


@pytest.mark.skipif(sys.platform != "linux", reason="the status file is written to Linux's place")
def test_status_opens_six_files(run_python: RunPython, tmp_path: Path) -> None:
    write_status(tmp_path)
    plain = opened_by(run_python, "import json, os, sys, time")
    status = opened_by(run_python, AS_SCRIPT.format(words=["status"]))

    assert str(tmp_path / "home/.local/share/studyapp/status.json") in status
    assert len(status) - len(plain) <= STATUS_OPENS, sorted(set(status) - set(plain))


def test_the_command_line_loads_nothing_heavy(run_python: RunPython) -> None:
    loaded = loaded_after(run_python, "import studyapp.cli.main")

    assert "click" in loaded
    assert heavy(loaded, "textual", "rich", "asyncio") == []


def test_the_screens_a_day_begins_with_open_without_a_parser_of_words(run_python: RunPython) -> None:
    loaded = loaded_after(run_python, "import studyapp.cli.straight, studyapp.tui.app")

    assert {"studyapp.cli.call", "textual"} <= loaded
    assert loaded & {"click", "gettext", "studyapp.cli.main"} == set()


def test_help_of_every_command_loads_nothing_heavy(run_python: RunPython) -> None:
    code = """
import contextlib, io
from studyapp.cli.main import PLACES, run
with contextlib.redirect_stdout(io.StringIO()):
    assert [run([name, "--help"]) for name in PLACES] == [0] * len(PLACES)
"""
    assert heavy(loaded_after(run_python, code), "textual") == []


def test_every_screen_is_imported_without_anything_heavy_but_textual(run_python: RunPython) -> None:
    code = """
import importlib, pkgutil
import studyapp.tui, studyapp.tui.app
for found in pkgutil.walk_packages(studyapp.tui.__path__, "studyapp.tui."):
    importlib.import_module(found.name)
"""
    loaded = loaded_after(run_python, code)

    assert {"textual", "studyapp.tui.screens.review", "studyapp.tui.screens.home"} <= loaded
    assert heavy(loaded) == []


WORKERS_HALF = """
import importlib, pkgutil
import studyapp.experiments.claims as claims, studyapp.experiments.worker as worker
for package in (claims, worker):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(found.name)
"""
"""With -S no third party can be found at all, torch included."""


def travelling(run_python: RunPython) -> set[str]:
    """Return the modules of ours that claims and worker load."""
    return {name for name in loaded_after(run_python, WORKERS_HALF, "-S") if name.startswith("studyapp")}


def path_of(module: str) -> Path:
    base = ROOT.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


MAIN = {"__main__", "__mp_main__"}
"""The program itself; multiprocessing gives it a second name."""


def test_claims_and_worker_need_the_standard_library_and_a_few_core_files_only(run_python: RunPython) -> None:
    loaded = loaded_after(run_python, WORKERS_HALF, "-S")
    strangers = {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names} - MAIN
    allowed = {"studyapp", "studyapp.core", *(f"studyapp.core.{name}" for name in TRAVELS_CORE)}

    assert {"studyapp.experiments.claims.kept", "studyapp.experiments.worker.loop"} <= strangers
    assert [name for name in strangers - allowed if not name.startswith("studyapp.experiments")] == []


NEW_NAMES = {
    "asyncio": {"Barrier", "Runner", "TaskGroup", "timeout", "timeout_at"},
    "contextlib": {"chdir"},
    "datetime": {"UTC"},
    "enum": {"EnumCheck", "FlagBoundary", "ReprEnum", "StrEnum", "member", "nonmember", "verify"},
    "hashlib": {"file_digest"},
    "itertools": {"batched"},
    "math": {"cbrt", "exp2", "sumprod"},
    "operator": {"call"},
    "os": {"process_cpu_count"},
    "re": {"NOFLAG"},
    "sys": {"exception", "monitoring"},
    "typing": {
        *("LiteralString", "Never", "NotRequired", "Required", "Self", "TypeVarTuple", "Unpack"),
        *("assert_never", "assert_type", "dataclass_transform", "override", "reveal_type"),
    },
}
"""Names of the standard library that Python 3.10 lacks (source: "What's New In Python 3.11" to 3.13)."""
NEW_MODULES = {"tomllib", "wsgiref.types"}
NEW_BUILTINS = {"BaseExceptionGroup", "ExceptionGroup"}


def newer_than_310(text: str) -> list[str]:
    """Return what a file uses that Python 3.10 does not have.

    Raises:
        SyntaxError: If it is not written in the grammar of 3.10.
    """
    found = []
    for node in ast.walk(ast.parse(text, feature_version=(3, 10))):
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.append(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Name):
            found.append(node.id)
    unknown = {f"{module}.{name}" for module, names in NEW_NAMES.items() for name in names}
    unknown |= NEW_MODULES | NEW_BUILTINS
    return [name for name in found if name in unknown or name.partition(".")[0] in NEW_MODULES]


def test_what_travels_is_python_310(run_python: RunPython) -> None:
    found = {name: newer_than_310(path_of(name).read_text(encoding="utf-8")) for name in travelling(run_python)}

    assert len(found) > 20
    assert {name: new for name, new in found.items() if new} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import tomllib",
        "from enum import StrEnum",
        "import datetime\nn = datetime.UTC",
        "raise ExceptionGroup('', [])",
    ],
)
def test_newer_names_are_noticed(line: str) -> None:
    assert newer_than_310(line)


def test_newer_grammar_is_noticed() -> None:
    with pytest.raises(SyntaxError):
        newer_than_310("try:\n    pass\nexcept* ValueError:\n    pass\n")


def pythons() -> list[str]:
    """Return this interpreter and, where there is one that starts, Python 3.10."""
    old = shutil.which("python3.10")
    works = old and subprocess.run([old, "-c", ""], capture_output=True, check=False).returncode == 0
    return [sys.executable, *([old] if old and works else [])]


@pytest.mark.parametrize("python", pythons())
def test_the_worker_runs_from_one_archive_without_an_installation(
    run_python: RunPython, tmp_path: Path, python: str
) -> None:
    archive = tmp_path / "worker.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in travelling(run_python):
            file.write(path_of(name), path_of(name).relative_to(ROOT))
    code = f"""
import runpy, sys
sys.path.insert(0, {str(archive)!r})
import studyapp.experiments.catalog as catalog
assert len(catalog.experiments()) == len(catalog.CLAIMS)
runpy.run_module("studyapp.experiments.worker", run_name="__main__")
"""
    requests, requester = os.pipe()
    with os.fdopen(requests), os.fdopen(requester, "w"):  # an open pipe: the worker ends with its input
        done = run_python("-S", "-c", code, environ={"PYTHONPATH": ""}, python=python, stdin=requests)

    assert done.returncode == NO_TORCH_EXIT, done.stderr
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["failure"] == "no_torch"


def test_every_dependency_is_imported_and_every_import_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [need for name, needs in project["optional-dependencies"].items() if name != "test" for need in needs]
    needed = [need for need in (*project["dependencies"], *extras) if "win32" not in need]
    declared = {re.split(r"[^\w-]", need)[0] for need in needed}
    distributions = packages_distributions()
    imported = {
        distributions.get(name, [name])[0].lower()
        for path in (ROOT / "studyapp").rglob("*.py")
        for name in third_parties(path.read_text(encoding="utf-8"))
    }

    assert imported | {"torch"} == declared  # torch is imported by name


def third_parties(text: str) -> set[str]:
    """Return the top-level names a file imports from neither the standard library nor this project."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    names |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"studyapp"}
