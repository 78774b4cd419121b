"""The command line's one way in and out: words to a command, every failure to a sentence and an exit code.

Nothing heavy is imported here: a command's module is imported when it is called, textual only for a full screen,
SQLAlchemy only when lessons are stored, searched or merged.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import click

from studyapp import __version__
from studyapp.cli.call import Call
from studyapp.cli.group import PIPE_CLOSED, SETTINGS, Lazy
from studyapp.cli.output import note, print_envelope, say, settle_streams, silence
from studyapp.core.errors import StudyError

PLACES = {
    "review": "screens",
    "read": "screens",
    "browse": "screens",
    "race": "screens",
    "lab": "screens",
    "run": "trials",
    "runs": "runs",
    "trial": "dock",
    "experiments": "catalog",
    "passport": "passports",
    "due": "today",
    "status": "today",
    "stats": "figures",
    "streak": "streak",
    "list": "cards",
    "show": "cards",
    "orphans": "settling",
    "rewrites": "settling",
    "answer": "answers",
    "undo": "answers",
    "optimize": "parameters",
    "reschedule": "parameters",
    "check": "lessons",
    "new-module": "moving",
    "ids": "moving",
    "import": "moving",
    "export": "moving",
    "backup": "keeping",
    "restore": "keeping",
    "rebuild": "record",
    "merge": "record",
    "exchange": "record",
    "doctor": "doctor",
    "config": "config",
    "corrections": "corrections",
    "challenge": "challenge",
    "keys": "keys",
    "shell": "shell",
}
"""Every command with the file it lives in."""
INTERRUPTED = 130


@click.group(cls=Lazy, places=PLACES, invoke_without_command=True, context_settings=SETTINGS)
@click.option("--version", is_flag=True, help="Print the version.")
@click.pass_context
def studyapp(context: click.Context, version: bool) -> int | None:
    """Spaced repetition in the terminal, with answers you can put on trial.

    Without a command the program opens in the terminal.
    """
    if version:
        say(f"studyapp {__version__}")
        context.exit(0)
    if context.invoked_subcommand is None:
        if context.ensure_object(Call).json:
            raise click.UsageError("--json needs a command that prints data, such as due.", context)
        from studyapp.cli.full_screen import home

        return home(context.ensure_object(Call))
    return None


def run(words: list[str]) -> int:
    """Run one command and return its exit code; never raises.

    Args:
        words: The words after the program's name.
    """
    settle_streams()
    call = Call()
    asked_json = "--json" in words[: words.index("--")] if "--" in words else "--json" in words
    try:
        code = studyapp.main(words, prog_name="studyapp", standalone_mode=False, obj=call)
        sys.stdout.flush()
    except BaseException as error:
        return ended(error, call, asked_json)
    return code if isinstance(code, int) else 0


def ended(error: BaseException, call: Call, asked_json: bool) -> int:
    """Tell how a command ended that did not return, and return the exit code."""
    if isinstance(error, (click.Abort, KeyboardInterrupt, EOFError)):
        return _interrupted(asked_json)
    if isinstance(error, BrokenPipeError):
        silence()
        return PIPE_CLOSED
    if isinstance(error, SystemExit):  # click's own way out: completion was printed, or --help's reader has gone
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        return error.code if isinstance(error.code, int) else 0
    if not isinstance(error, Exception):
        raise error
    if _came_of_an_interrupt(error):
        return _interrupted(asked_json)
    with contextlib.suppress(BrokenPipeError):
        return _explain(error, call, asked_json)
    silence()
    return PIPE_CLOSED


def _interrupted(asked_json: bool) -> int:
    if asked_json:
        _tell_json("interrupted", "Interrupted; everything stored before is safe.", "")
    return INTERRUPTED


def _came_of_an_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C stands behind a failure: SQLAlchemy closes a connection that is interrupted at work."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


def _explain(error: Exception, call: Call, asked_json: bool) -> int:
    kind, code = "error", 1
    if isinstance(error, StudyError):
        kind, code, message, hint = error.kind, error.exit_code, error.message, error.hint
    elif isinstance(error, click.ClickException):
        kind, code, message = "usage", 2, error.format_message()
        context = getattr(error, "ctx", None)
        hint = f"See `{context.command_path if context else 'studyapp'} --help`."
    else:
        kind, message = "internal", f"studyapp failed: {type(error).__name__}: {error}"
        hint = f"The traceback is in {_keep_traceback(error, call)}; please report it."
    message = " ".join(message.split("\n"))
    if asked_json:
        _tell_json(kind, message, hint)
    else:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        note(*([f"{message} {hint}"] if kind == "internal" else filter(None, (message, hint))))
    return code


def _tell_json(kind: str, message: str, hint: str) -> None:
    print_envelope({"ok": False, "error": {"kind": kind, "message": message, "hint": hint}})
    sys.stdout.flush()


def _keep_traceback(error: Exception, call: Call) -> Path | str:
    """Write the traceback into the data folder (mode 600), else into a temporary file; return where."""
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        folder = call.settings.data_dir
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".error-")
        place = folder / "last-error.txt"
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        Path(name).replace(place)
        return place
    except Exception:
        handle, name = tempfile.mkstemp(prefix="studyapp-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        return name
