"""`doctor`: what is installed, how the store is, whether the worker starts, and what to do about it."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sqlite3
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp import __version__
from studyapp.cli.call import Call, locale_trouble
from studyapp.cli.group import words
from studyapp.cli.output import columns, note, plural, print_data, say, spoken
from studyapp.core.errors import StoreError
from studyapp.core.percent import percent

if TYPE_CHECKING:
    from studyapp.experiments.protocol import Failed, Ready
    from studyapp.study.desk import Desk

LIBRARIES = ("textual", "sqlalchemy", "alembic", "fsrs", "plotext", "markdown-it-py", "click", "rich")
SAFE_SQLITE = (3, 51, 3)
"""Before it, two connections that write and checkpoint a WAL at once can lose a part of it.
Source: SQLite's release notes for 3.51.3."""
SMALL_BUILD = "https://pytorch.org/get-started/locally/"
"""Where PyTorch names its build without CUDA libraries: some 200 MB instead of several GB."""


TOO_OLD = "is too old"
"""How the worker says that a torch can be imported, and pip will replace it by itself."""


@words("doctor", data=True)
@click.pass_obj
def doctor_command(call: Call) -> int:
    """Examine installation, store and worker.

    The worker is really started. Exits with 1 when something should be mended, with 3 when the store cannot be
    opened.
    """
    settings = call.settings
    moment = settings.clock()
    problems: list[dict[str, str]] = []
    store, code = _store(call, problems)
    report: dict[str, Any] = {
        "studyapp": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libraries": {name: _version(name) for name in LIBRARIES},
        "settings": {"file": settings.config, "sources": dict(settings.sources)},
        "time": {
            "now": moment.now.astimezone(settings.zone).isoformat(timespec="seconds"),
            "zone": settings.zone_name,
            "rollover": f"{settings.rollover:%H:%M}",
        },
        "terminal": {"TERM": os.environ.get("TERM", ""), "encoding": sys.stdout.encoding or ""},
        "store": store,
        "worker": _worker(settings.worker_command, problems),
        "problems": problems,
    }
    if trouble := locale_trouble():
        _add(problems, f"UTF-8 cannot be shown here: {trouble}.", "Set LC_ALL=C.UTF-8.")
    if call.json:
        print_data(report)
    else:
        say(*(spoken if call.plain else columns)(_rows(report)))
        for problem in problems:
            note(f"{problem['message']} {problem['hint']}".strip())
        say("Something should be mended; see above." if problems else "All is well.")
    return code or int(bool(problems))


def _add(problems: list[dict[str, str]], message: str, hint: str) -> None:
    problems.append({"message": message, "hint": hint})


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _store(call: Call, problems: list[dict[str, str]]) -> tuple[dict[str, Any], int]:
    """Return what there is to say of the store, and 3 where it cannot be opened."""
    from studyapp.store.files import file_system

    settings = call.settings
    found: dict[str, Any] = {
        "path": settings.db,
        "data_dir": settings.data_dir,
        "backups": settings.data_dir / "backups",
        "status": settings.status_path,
        "sqlite": sqlite3.sqlite_version,
    }
    try:
        with call.desk() as desk:
            damage = desk.store.integrity()
            if not damage:
                found |= _replayed(desk, problems)
            found |= {
                "journal_mode": desk.store.journal_mode,
                "device": desk.store.device,
                "integrity": damage or "ok",
                "modules": len(desk.store.modules()),
                "retention": _wanted(desk),
                "cards": len(desk.store.cards()),
            }
    except StoreError as error:
        found["error"] = error.message
        _add(problems, error.message, error.hint)
        return found, error.exit_code
    found["file_system"] = file_system(settings.db.parent)
    for line in damage[:3]:
        _add(problems, f"The store is damaged: {line}.", "`studyapp restore` brings back the latest copy.")
    if found["journal_mode"] == "wal" and sqlite3.sqlite_version_info < SAFE_SQLITE:
        found["warning"] = (
            f"SQLite {sqlite3.sqlite_version} is older than 3.51.3, which mended a rare loss when two programs "
            "write and checkpoint at once; studyapp never does so, but other programs should not write here."
        )
    return found, 0


def _wanted(desk: Desk) -> dict[str, Any]:
    """Return the recall wanted in general and of single modules, and which of these are not here."""
    options = desk.options
    known = {module.id for module in desk.store.modules()}
    return {
        "general": options.policy.desired_retention,
        "of": dict(options.retention_of),
        "not_here": sorted(set(options.retention_of) - known),
    }


def _wanted_words(wanted: dict[str, Any]) -> str:
    single = [
        f"{module} {percent(share)}{' (no such module here)' if module in wanted['not_here'] else ''}"
        for module, share in wanted["of"].items()
    ]
    return "; ".join([f"recall wanted: {percent(wanted['general'])}", *single])


def _replayed(desk: Desk, problems: list[dict[str, str]]) -> dict[str, Any]:
    """Replay the log, say what differs from it, and offer the repair."""
    from studyapp.study.rebuilding import rebuild

    replay = rebuild(desk)
    if not replay.equal:
        cards = plural(len(replay.different), "card")
        said = " ".join([f"{cards} not as the log says." if replay.different else "", *replay.figures]).strip()
        _add(problems, said, "`studyapp rebuild --write` puts it right, after a copy.")
    if replay.ahead:
        _add(
            problems,
            f"Dated more than a day after the clock: {plural(replay.ahead, 'row')} of the log.",
            "If the clock is right: `studyapp rebuild --clock --write`.",
        )
    return {"replay": "ok" if replay.equal else "differs", "rows": replay.reviews, "clock_ahead": replay.ahead}


def _worker(command: tuple[str, ...], problems: list[dict[str, str]]) -> dict[str, Any]:
    """Start the worker for real and return what it says of itself."""
    from studyapp.experiments.child import DEFAULT_COMMAND
    from studyapp.experiments.protocol import Ready
    from studyapp.plain.bench import Bench

    with Bench(command) as bench:
        greeting = bench.greet()
    found: dict[str, Any] = {"command": shlex.join(command or DEFAULT_COMMAND)}
    if isinstance(greeting, Ready):
        return found | _ready(greeting)
    hint = _advice(greeting, command)
    _add(
        problems,
        f"Experiments cannot run: {greeting.why.rstrip('.')}.",
        f"{hint} Reading and reviewing work without.",
    )
    return found | {"state": greeting.failure, "why": greeting.why, "stderr": greeting.stderr, "install": hint}


def _ready(greeting: Ready) -> dict[str, Any]:
    return {
        "state": "ready",
        "torch": greeting.torch,
        "python": greeting.python,
        "host": greeting.host,
        "cpu": greeting.cpu,
        "cores": greeting.cores,
        "threads": greeting.threads,
        "devices": greeting.devices,
        "why_cpu": greeting.why_cpu,
        "notices": greeting.notices,
    }


def _advice(failed: Failed, command: tuple[str, ...]) -> str:
    if failed.hint:
        return failed.hint
    if failed.failure == "start" and command:
        return "Look at the setting worker_command."
    if failed.failure == "torch_broken" and TOO_OLD not in failed.why:
        return f"Install torch anew: {install_command(command, anew=True)}.{_library(failed.why)}"
    if failed.failure in ("no_torch", "torch_broken", "start"):
        return f"Install torch: {install_command(command)}"
    return "Run it by hand to see what it says."


def _library(why: str) -> str:
    """Return what helps where torch lacks a shared library that it does not bring along."""
    found = re.search(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file", why)
    return f" If {found[1]} is still missing then, install the system's package that holds it." if found else ""


def install_command(command: tuple[str, ...] = (), *, anew: bool = False) -> str:
    """Return the exact command that installs torch where the worker looks for it.

    Args:
        command: The worker's own command, empty for this interpreter.
        anew: Whether pip counts a torch as installed that cannot be imported: it would leave it as it is.
    """
    what = f"install {'--force-reinstall ' if anew else ''}'torch>=2.6'"
    small = "" if _has_gpu() or sys.platform != "linux" else f" (the small CPU build: {SMALL_BUILD})"
    far = len(command) > 3 and Path(command[2]).name == "carrier.py"
    if far:
        return f"on {command[3]}: {command[-1]} -m pip {what}"
    # behind conda, srun or env stands the interpreter; over ssh or in a container its name is all we know
    python = next((word for word in command if Path(word).name.startswith("python")), "python")
    return f"{shlex.quote(python if command else sys.executable)} -m pip {what}{small}"


def _has_gpu() -> bool:
    return any(Path(place).exists() for place in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg"))


def _rows(report: dict[str, Any]) -> list[list[str]]:
    store, worker, time = report["store"], report["worker"], report["time"]
    libraries = ", ".join(f"{name} {version or 'missing'}" for name, version in report["libraries"].items())
    rows = [
        ["studyapp", report["studyapp"]],
        ["python", report["python"]],
        ["system", report["system"]],
        ["libraries", libraries],
        ["time", f"{time['now']}, zone {time['zone']}, days begin at {time['rollover']}"],
        ["store", str(store["path"])],
    ]
    if "error" not in store:
        integrity = store["integrity"] if isinstance(store["integrity"], str) else "damaged"
        where = f" on {store['file_system']}" if store["file_system"] else ""
        rows.append(
            ["", f"SQLite {store['sqlite']}, journal {store['journal_mode']}{where}, integrity {integrity}"]
        )
        rows.append(["", f"{plural(store['cards'], 'card')} in {plural(store['modules'], 'module')}"])
        rows.append(["", _wanted_words(store["retention"])])
    if "replay" in store:
        rows.append(["", f"{plural(store['rows'], 'row')} in the log, replay {store['replay']}"])
    if "warning" in store:
        rows.append(["", store["warning"]])
    rows += [["data", str(store["data_dir"])], ["settings", str(report["settings"]["file"])]]
    rows.append(["worker", worker["command"]])
    if worker["state"] == "ready":
        names = ", ".join(str(entry.get("name") or entry.get("type")) for entry in worker["devices"]) or "cpu"
        rows.append(
            ["", f"torch {worker['torch']} on python {worker['python']}, {worker['cores']} cores: {names}"]
        )
        rows += [["", line] for line in (worker["why_cpu"], *worker["notices"]) if line]
    return rows
