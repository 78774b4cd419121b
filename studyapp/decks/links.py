"""Experiment links: `[words](experiment:NAME?control=value&control=value)`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from studyapp.core.cards import ExperimentLink
from studyapp.decks.blocks import Block
from studyapp.decks.clean import clean, excerpt
from studyapp.decks.notes import Notes

SCHEME = "experiment:"
MAX_SEARCHED = 20_000
"""Characters of one paragraph that are searched: nested brackets cost time quadratic in its length."""
_TEXT = frozenset({"paragraph", "heading", "th", "td"})
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")


def experiment_links(block: Block, env: dict[str, Any], notes: Notes) -> tuple[list[ExperimentLink], str]:
    """Return the experiment links in a block and the words beside them; bad links are reported and left out.

    Args:
        block: Any block; the ones below it are searched too.
        env: Link definitions of the document.
        notes: Hears of links that are malformed or not known.
    """
    links: list[ExperimentLink] = []
    words: list[str] = []
    for inner in block.walk():
        if inner.kind not in _TEXT or not (SCHEME in inner.content or env):  # env: addresses may stand elsewhere
            continue
        if len(inner.content) > MAX_SEARCHED:
            notes.problem(
                inner.start + 1, f"text of over {MAX_SEARCHED} characters is not searched for experiments"
            )
        else:
            for label, href, line in _hrefs(inner, env):
                if not href.startswith(SCHEME):
                    words.append(label)
                elif link := _link(label, href, line, notes):
                    links.append(link)
    return links, " ".join(" ".join(words).split())


def _hrefs(block: Block, env: dict[str, Any]) -> Iterable[tuple[str, str, int]]:
    """Yield (words, address or "", line) for each link and each run of text."""
    tokens = _inline().parseInline(block.content, env)[0].children or []
    line, href, label = block.start + 1, "", ""
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            line += 1
        if token.type == "link_open":
            href, label = str(token.attrs["href"]), ""
        elif token.type == "link_close":
            yield label, href, line
            href = ""
        elif href:
            label += _words(token)
        else:
            yield _words(token), "", line


def _words(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def _link(label: str, href: str, line: int, notes: Notes) -> ExperimentLink | None:
    name, _, query = href.removeprefix(SCHEME).partition("?")
    if not _NAME.match(name):
        notes.problem(line, f"'{excerpt(unquote(name))}' is not the name of an experiment")
        return None
    controls: dict[str, str] = {}
    for part in query.split("&") if query else ():
        key, _, value = (clean(unquote(piece)).strip() for piece in part.partition("="))
        if not key or not value or key in controls:
            why = "is given twice" if key and value else "is not control=value"
            notes.problem(line, f"'{excerpt(unquote(part))}' in the link to {name} {why}")
            return None
        controls[key] = value
    link = ExperimentLink(name, controls, clean(label).strip(), line)  # "&#27;" is an escape by now
    notes.check(link)
    return link


@cache
def _inline() -> MarkdownIt:
    return MarkdownIt("commonmark")
