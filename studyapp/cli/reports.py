"""Reports on disk: a folder with the page, the Markdown and the JSON; and recorded runs of real devices.

Files of ours are replaced whole, or not at all; whatever else lies in the folder is left alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from datetime import tzinfo
from pathlib import Path

from studyapp.core.errors import UsageError
from studyapp.study.recording import Recording
from studyapp.study.suite import Suite

FILES = ("index.html", "report.md", "report.json")
MARK = "studyapp report"
"""Stands near the head of each of our files; a file of that name without it is a stranger's."""
HEAD_BYTES = 2000


def check_folder(folder: Path) -> None:
    """Refuse a folder that no report can be written to, before anything is run; it is made if it is not there.

    Raises:
        UsageError: If it is no folder, cannot be written to, or holds a stranger's file of one of our names.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        for name in FILES:
            _ours(folder / name)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(f"No report can be written to {folder}: {why}.", "Name another folder.") from error


def _ours(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        if MARK.encode() not in file.read(HEAD_BYTES):
            raise UsageError(
                f"{path} is not a report of this program, so it is left alone.", "Name another folder."
            )


def write_report(folder: Path, suite: Suite, zone: tzinfo) -> Path:
    """Write the three files and return the page's path.

    Raises:
        UsageError: If the folder cannot be written to, or one of the names is a stranger's file.
    """
    from studyapp.chart.page import to_html
    from studyapp.chart.page_text import to_json, to_markdown

    check_folder(folder)
    texts = (to_html(suite, zone=zone), to_markdown(suite, zone=zone), to_json(suite))
    for name, text in zip(FILES, texts, strict=True):
        _replace(folder / name, text)
    return folder / FILES[0]


def write_recording(folder: Path, recording: Recording) -> Path:
    """Write a recording, named after its device and day, and return its path.

    Raises:
        UsageError: If the folder cannot be written to.
    """
    path = folder / f"{slug(recording.device_name or recording.device)}-{recording.day}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(path, json.dumps(recording.as_json(), allow_nan=False, indent=1) + "\n")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(f"No recording can be written to {folder}: {why}.") from error
    return path


def slug(text: str) -> str:
    """Return a text as a file name: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "device"


def _replace(path: Path, text: str) -> None:
    """Write a file whole: a reader sees the old one or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
