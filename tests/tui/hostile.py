"""Hostile words put into every place of a lesson and of recorded runs, and what no screen may make of them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from textual.strip import Strip

from tests.tui.gallery import FOLDER
from tests.tui.hostile_words import CONTROLS, LONG, MARKUP, OBEYED, SPEAKS, WIDE

FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\u2028\u2029]")
_TITLE = re.compile(r"(?m)^(#+ .+?|> \*\*Say it first:\*\* .+?)(?= <!--|$)")
_ANSWER = re.compile(r"(?m)^(> (?!\*\*|<).+)$")
_LABEL = re.compile(r"\](?=\(experiment:)")


def hostile_lesson(path: Path) -> Path:
    """Write the lesson of the snapshots with hostile text in headings, questions, answers and labels."""
    text = (FOLDER / "lesson.md").read_text(encoding="utf-8")
    body = text.partition("---\n\n")[2]
    body = _LABEL.sub(f" {CONTROLS}{WIDE}]", body)
    body = _TITLE.sub(lambda found: f"{found[1]} {SPEAKS}", body)
    body = _ANSWER.sub(lambda found: f"{found[1]} {SPEAKS}", body)
    body = body.replace("\nSizes of batches", f"\n{LONG} {SPEAKS}\n\nSizes of batches")
    body = body.replace("> 32.", f"> {LONG}").replace("power of 4?", f"power of 4? {LONG}")
    head = f"---\nid: gpus-and-cpus\ntitle: {_yaml('T ' + MARKUP + WIDE)}\nsummary: {_yaml(SPEAKS)}\n---\n\n"
    path.write_text(head + body, encoding="utf-8")
    return path


def _yaml(text: str) -> str:
    return json.dumps(text)


def hostile_recordings(source: Path, folder: Path) -> Path:
    """Copy recorded runs, with a hostile name of the device and hostile reasons."""
    folder.mkdir(parents=True)
    for path in source.glob("*-calm.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        facts: dict[str, Any] = data["facts"]
        facts["device_name"] = SPEAKS
        if "more" in facts:
            facts["more"]["why_cpu"] = SPEAKS
            facts["more"]["machine"] = os.uname().nodename  # another machine's passport is not shown
        folder.joinpath(path.name).write_text(json.dumps(data), encoding="utf-8")
    return folder


def check_strips(strips: list[Strip], width: int) -> str:
    """Return the text of a screen; fail where hostile words reached the terminal as more than text."""
    rows = []
    for strip in strips:
        row = "".join(segment.text for segment in strip if segment.control is None)
        assert not FORBIDDEN.search(row), f"a control character or override: {row!r}"
        assert cell_len(row) <= width, row
        rows.append(row)
        for segment in strip:
            style = segment.style
            assert style is None or style.link is None or "evil" not in style.link, row
            assert style is None or "app.quit" not in str(style.meta.get("@click", "")), row
    text = "\n".join(rows)
    assert OBEYED not in re.sub(r"\s+", "", text), f"markup was obeyed: {text}"
    return text
