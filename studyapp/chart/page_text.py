"""A suite as Markdown and as JSON: to be pasted into a message, read by a program, kept in a repository."""

from __future__ import annotations

import json
import re
from datetime import timezone, tzinfo

from studyapp.chart import page_words as words
from studyapp.chart.grid import clean
from studyapp.chart.page import GENERATOR
from studyapp.chart.words import table
from studyapp.core.days import instant_of
from studyapp.study.suite import Result, Suite

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$!&])")


def to_markdown(suite: Suite, *, zone: tzinfo = timezone.utc) -> str:
    """Return the report as Markdown; outside text stays text.

    Args:
        suite: What was tried.
        zone: In which the date is told.
    """
    lines = [f"<!-- {GENERATOR} -->", f"# {_text(words.title(suite))}", "", _text(words.summary(suite)), ""]
    if len(suite.results) > 1:
        lines += ["| | claim | here | verdict |", "|---|---|---|---|"]
        lines += [_row(result) for result in suite.results] + [""]
    for result in suite.results:
        lines += _section(result)
    lines += ["## The machine", "", "| | |", "|---|---|", f"| date | {_text(words.when(suite, zone))} |"]
    lines += [f"| {_text(name)} | {_text(value)} |" for name, value in suite.machine.items()]
    lines += ["", f"Try it yourself: {_code(suite.command)}", ""]
    return "\n".join(lines)


def _row(result: Result) -> str:
    kind = words.kind(result)
    number = _text(words.measured(result)[1])
    return f"| {words.GLYPHS[kind]} | {_text(result.experiment.claim)} | {number} | {_text(words.WORDS[kind])} |"


def _section(result: Result) -> list[str]:
    experiment, kind = result.experiment, words.kind(result)
    told, number = words.measured(result)
    lines = [
        f"## {words.GLYPHS[kind]} {_text(experiment.claim)}",
        "",
        f"{_code(experiment.id)}: *{_text(experiment.question)}*",
        "",
        f"**{_text(words.WORDS[kind].capitalize())}.** {_text(words.said(result))}",
        "",
    ]
    if number:
        aside = ", ".join(filter(None, (told, words.interval(result))))
        lines += [f"**{_text(number)}** ({_text(aside)})", ""]
    sibling = words.elsewhere(result)
    remarks = [_text(text) for text in words.remarks(result)]
    remarks += [f"The same law, shown on this machine: {_code(f'studyapp run {sibling}')}"] if sibling else []
    remarks += [f"{name}: {_text(value)}" for name, value in words.circumstances(result)]
    lines += [*(f"- {text}" for text in remarks), f"- repeat: {_code(words.command(result))}", ""]
    if result.figure.series:
        head, *rows = table(result.figure)
        lines += [_cells(head), "|" + "---|" * len(head), *(_cells(row) for row in rows), ""]
    return lines


def _cells(row: list[str]) -> str:
    return "| " + " | ".join(_text(cell) for cell in row) + " |"


def _text(text: str) -> str:
    """Return outside text as one line of Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\1", clean(text))


def _code(text: str) -> str:
    return f"`{clean(text).replace('`', chr(39))}`"


def to_json(suite: Suite) -> str:
    """Return the report as strict JSON, with the fields of `run --all --json`, a format and the instant."""
    data = {
        "format": GENERATOR,
        "started_at": instant_of(suite.started_at_ms).isoformat(),
        "summary": words.summary(suite),
        **suite.as_json(),
    }
    return json.dumps(data, allow_nan=False, indent=1) + "\n"
