"""A suite as one self-contained HTML page: to be opened anywhere, printed, mailed, shown to each other.

Inline style and inline SVG only; its own policy forbids the browser everything else. All text passes `escaped`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timezone, tzinfo

from studyapp import __version__
from studyapp.chart import page_words as words
from studyapp.chart.page_style import page_css
from studyapp.chart.svg import to_svg
from studyapp.chart.svg_sheet import escaped
from studyapp.chart.words import table
from studyapp.core.figures import Figure
from studyapp.study.suite import Result, Suite

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Content-Security-Policy: a page that can neither fetch nor run anything."""
GENERATOR = "studyapp report"
"""Tells a page of ours from a stranger's of the same name."""


def to_html(suite: Suite, *, zone: tzinfo = timezone.utc) -> str:
    """Return the report.

    Args:
        suite: What was tried.
        zone: In which the date is told.
    """
    here = {result.experiment.id for result in suite.results}
    title = escaped(words.title(suite))
    body = [
        _header(suite, zone),
        _glance(suite) if len(suite.results) > 1 else "",
        *(_article(result, here) for result in suite.results),
        _machine(suite, zone),
        _footer(suite),
    ]
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="{GENERATOR} {escaped(__version__)}">'
        f'<meta name="description" content="{escaped(words.summary(suite))}">'
        f"<title>{title}</title>\n<style>{page_css()}</style></head>\n"
        f"<body><main>\n{''.join(part for part in body if part)}</main></body></html>\n"
    )


def _header(suite: Suite, zone: tzinfo) -> str:
    counts = suite.counts()
    kinds = [name for name in words.KINDS if counts[name]]
    bar = "".join(f'<span class="{name}" style="flex:{counts[name]}"></span>' for name in kinds)
    chips = "".join(
        f"<li>{_chip(name, f'{counts[name]} {words.LEGEND[name][counts[name] != 1]}')}</li>" for name in kinds
    )
    shown = f'<div class="bar" aria-hidden="true">{bar}</div><ul class="legend">{chips}</ul>'
    where = " · ".join(filter(None, (words.when(suite, zone), words.device(suite))))
    return (
        f'<header><p class="kicker"><b>studyapp</b> · {escaped(where)}</p><h1>{escaped(words.title(suite))}</h1>'
        f'<p class="lead">{escaped(words.summary(suite))}</p>{shown if len(suite.results) > 1 else ""}</header>\n'
    )


def _chip(kind: str, text: str) -> str:
    return f'<span class="chip {kind}">{words.GLYPHS[kind]} {escaped(text)}</span>'


def _glance(suite: Suite) -> str:
    rows = []
    for result in suite.results:
        kind = words.kind(result)
        rows.append(
            f'<li><a href="#{_anchor(result.experiment.id)}">'
            f'<b class="{kind}" role="img" aria-label="{escaped(words.WORDS[kind])}">{words.GLYPHS[kind]}</b>'
            f"<span>{escaped(result.experiment.claim)}</span>"
            f'<span class="figure">{escaped(words.measured(result)[1])}</span></a></li>'
        )
    return f'<nav aria-label="All claims"><h3>At a glance</h3><ul class="glance">{"".join(rows)}</ul></nav>\n'


def _article(result: Result, here: Iterable[str]) -> str:
    experiment, kind = result.experiment, words.kind(result)
    told, number = words.measured(result)
    number_line = ""
    if number:
        aside = ", ".join(filter(None, (told, words.interval(result))))
        style = "number unsure" if kind == "too_noisy" else "number"
        shown = f'<span class="{style}">{escaped(number)}</span>'
        number_line = f'<p>{shown}<span class="told">{escaped(aside)}</span></p>'
    parts = [
        f'<article id="{_anchor(experiment.id)}" aria-labelledby="{_anchor(experiment.id)}-claim">',
        f'{_chip(kind, words.WORDS[kind])}<span class="id">{escaped(experiment.id)}</span>',
        f'<h2 id="{_anchor(experiment.id)}-claim">{escaped(experiment.claim)}</h2>',
        f'<p class="question">{escaped(experiment.question)}</p>',
        number_line,
        f'<p class="because">{escaped(words.said(result)).replace(" %", "&nbsp;%")}</p>',
        _elsewhere(result, here),
        _figure(result.figure, _anchor(experiment.id)),
        *(_remark(text, busy=result.facts.busy and k == 0) for k, text in enumerate(words.remarks(result))),
        _facts(result),
        _table(result.figure),
        "</article>\n",
    ]
    return "".join(parts)


def _elsewhere(result: Result, here: Iterable[str]) -> str:
    sibling = words.elsewhere(result)
    if sibling is None:
        return ""
    if sibling in here:
        link = f'<a href="#{_anchor(sibling)}">{escaped(sibling)}</a>'
        return f"<p>The same law, shown on this machine: {link}.</p>"
    return f"<p>The same law, shown on this machine: <code>studyapp run {escaped(sibling)}</code></p>"


def _figure(figure: Figure, key: str) -> str:
    if not figure.series:
        return ""
    caption = f"<figcaption>{escaped(figure.plot.subtitle)}</figcaption>" if figure.plot.subtitle else ""
    return f"<figure>{caption}{to_svg(figure, key=key, styled=False)}</figure>"


def _remark(text: str, *, busy: bool) -> str:
    return f'<p class="remark{" busy" if busy else ""}">{escaped(text)}</p>'


def _facts(result: Result) -> str:
    rows = "".join(f"<dt>{escaped(n)}</dt><dd>{escaped(v)}</dd>" for n, v in words.circumstances(result))
    return f'<dl class="facts">{rows}<dt>repeat</dt><dd><code>{escaped(words.command(result))}</code></dd></dl>'


def _table(figure: Figure) -> str:
    if not figure.series:
        return ""
    head, *rows = table(figure)
    cells = "".join(f'<th scope="col">{escaped(text)}</th>' for text in head)
    body = "".join("<tr>" + "".join(f"<td>{escaped(text)}</td>" for text in row) + "</tr>" for row in rows)
    whole = f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
    label = f"All {len(rows)} rows of numbers" if len(rows) > 1 else "The number"
    return f'<details><summary>{label}</summary><div class="scroll" tabindex="0">{whole}</div></details>'


def _machine(suite: Suite, zone: tzinfo) -> str:
    rows = {"date": words.when(suite, zone), **suite.machine}
    cells = "".join(f'<tr><th scope="row">{escaped(n)}</th><td>{escaped(v)}</td></tr>' for n, v in rows.items())
    took = f" It took {suite.took_s:.0f} s." if suite.took_s >= 1 else ""
    return (
        f'<section><h3>The machine</h3><table class="machine"><tbody>{cells}</tbody></table>'
        f"<h3>Try it yourself</h3><p><code>{escaped(suite.command)}</code></p>"
        f"<p>Everything above was computed from what was measured on this machine.{took}</p></section>\n"
    )


def _footer(suite: Suite) -> str:
    return (
        "<footer><p>A claim holds or does not hold only by points that were measured or counted on this machine. "
        "Amber is a CPU, teal and hollow a GPU; whatever is dashed was simulated, assumed or recorded elsewhere, "
        "and says so. Whiskers show the spread of repeated timings.</p>"
        f"<p>studyapp {escaped(__version__)}</p></footer>\n"
    )


def _anchor(name: str) -> str:
    """Return an id that is safe in an attribute and as a fragment."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "-") else "-" for c in name)
