"""The script's process: the learner's file run as `python script.py args` would run it, with the dock looking on.

Nothing is imported before the script imports it, torch included: what a script sets in its environment first still
counts. The process ends by `os._exit`, in the middle of the first epoch: what a script does at the end of an epoch
or at exit (such as saving its best weights) is not done with weights that come from the dock's steps.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from mmap import mmap
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from studyapp.experiments.wire import marked
from studyapp.experiments.worker import limits
from studyapp.experiments.worker.dock.engine import Engine, Options
from studyapp.experiments.worker.dock.places import is_library, is_ours
from studyapp.experiments.worker.dock.talk import Ear, GoneError, write

HOOK = Path(__file__).parent / "hook"
TRACE_LINES = 8


class Line:
    """The script's side of the wire; silent in processes that the script forks."""

    def __init__(self, wire: int, ear: int) -> None:
        self._wire, self._ear, self._owner = wire, Ear(ear), os.getpid()

    def send(self, kind: str, **fields: Any) -> None:
        """Write one message; without a reader there is no reason to go on."""
        if os.getpid() != self._owner:
            return
        try:
            write(self._wire, marked(kind, fields))
        except GoneError:
            os._exit(1)

    def ask(self, **fields: Any) -> None:
        """Send a question and wait until the program says go."""
        self.send("ask", **fields)
        try:
            self._ear.one()
        except GoneError:
            os._exit(1)


def live(trial: dict[str, Any], wire: int, ear: int, output: int, stage: mmap) -> NoReturn:
    """Be the script's process: take its descriptors, run it, say how it went, end."""
    _settle_in(output)
    line = Line(wire, ear)
    options = Options(
        steps=int(trial.get("steps", 20)),
        limit_s=float(trial.get("limit_s", 120.0)),
        memory_mb=trial.get("memory_mb"),
        findings=tuple(trial.get("findings") or ()),
    )
    engine = Engine(line, options, stage)
    code = 1
    try:
        code = _run(trial, engine)
    finally:
        _flush()
        os._exit(code)


def _settle_in(output: int) -> None:
    os.setsid()
    limits.die_with_parent()
    for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sign, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    with contextlib.suppress(OSError):  # should memory run out for all, this one is to go, not the program
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _run(trial: dict[str, Any], engine: Engine) -> int:
    """Run the script to whatever end it finds by itself; return the exit code."""
    path = str(trial["script"])
    try:
        os.chdir(str(trial["cwd"]))
        _arrange(path, [str(word) for word in trial.get("args", ())])
        if importlib.util.find_spec("torch") is None:
            engine.line.send("failed", failure="no_torch", why=f"{sys.executable} has no torch")
            return 0
        if "torch" in sys.modules:  # the interpreter itself brings it, as a sitecustomize may
            engine.attach(sys.modules["torch"])
        else:
            sys.meta_path.insert(0, AfterTorch(engine.attach))
        engine.offer(_hook())
        runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        words = error.code if isinstance(error.code, str) else ""
        engine.left(code, words)
        return code & 255
    except BaseException as error:
        if not engine.failed(error):
            engine.line.send("crashed", **described(error))
        return 1
    engine.left()
    return 0


def _arrange(path: str, args: Sequence[str]) -> None:
    """Make sys.argv and sys.path what `python script.py args` makes them; our own place goes to the end."""
    here = str(Path(path).resolve().parent)
    if not getattr(sys.flags, "safe_path", False) and sys.path:
        sys.path.append(sys.path.pop(0))
    sys.path.insert(0, here)
    sys.path.append(str(HOOK))
    sys.argv = [path, *args]


def _hook() -> ModuleType:
    return importlib.import_module("studydock")


def described(error: BaseException) -> dict[str, Any]:
    """Return an exception as type, one line, where in the learner's files, and the traceback's last lines."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_ours(frame.filename)]
    lines = traceback.format_exception_only(type(error), error)
    shown = [line for entry in traceback.format_list(frames[-3:]) for line in entry.rstrip().split("\n")]
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}"
    else:
        own = [f for f in frames if not is_library(f.filename)]
        where = f"{own[-1].filename}:{own[-1].lineno}" if own else ""
    words = [line.rstrip() for line in "".join(lines).split("\n") if line.strip()]
    return {
        "type": type(error).__name__,
        "why": words[-1][:400] if words else type(error).__name__,
        "where": where,
        "lines": [*shown, *words][-TRACE_LINES:],
    }


class AfterTorch(importlib.abc.MetaPathFinder):
    """Calls back as soon as the script has imported torch, and never again."""

    def __init__(self, then: Callable[[ModuleType], None]) -> None:
        self._then = then

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find torch as it would be found anyway, with a loader that calls back."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_tell(module: ModuleType) -> None:
            load(module)
            self._then(module)

        spec.loader.exec_module = load_and_tell  # type: ignore[method-assign]
        return spec


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
