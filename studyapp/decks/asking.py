"""Sentences on a page that ask: FAQ items, recall prompts, and the lines around a text that are no part of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

FAQ_TITLE = re.compile(
    r"\b(?:faqs?|frequently asked|q ?(?:&|and) ?a)\b|^(?:common )?questions(?: and answers)?$", re.IGNORECASE
)
_LONGEST = 200
"""Longest question, in characters."""
_ASKS = (
    "how what why when where which who whose does do did is are was were can could should will would has have had "
    "may must isn't aren't doesn't don't"
)
_OPENS = "|".join(re.escape(word) for word in _ASKS.split())
_ONE_LINE = re.compile(rf"((?:(?:so|and|but),? )?(?:{_OPENS})\b[^?.!]{{2,{_LONGEST}}}\?)[ \t]+(\S.*)\Z", re.I)
_ANY_LINE = re.compile(rf"([^?.!|]{{3,{_LONGEST}}}\?)[ \t]+(\S.*)\Z")
_ALONE = re.compile(rf"[^?!|]{{3,{_LONGEST}}}\?\Z")
_BOLD = re.compile(
    rf"(?:[-*+] |\d+[.)] )?(?:\*\*|__)(?:Q\d*[:.] ?)?([^*_\n]{{3,{_LONGEST}}}\?)(?:\*\*|__)[ \t]*(.*)\Z"
)
_PAGE = r"(?:this|the) (?:module|lesson|page|section|article|chapter|unit)"
_NAMED = re.compile(rf"what (?:does|did) {_PAGE} (?:say|teach|explain) about [“\"'‘«]?(.+?)[”\"'’»]?\?\Z", re.I)
_TAKEAWAY = re.compile(
    rf"[^.!]*\b(?:take-?away|main (?:point|idea)|big idea|key (?:point|idea))\b.*{_PAGE}.*\?\Z", re.I
)
_LEFT = (
    (re.compile(r"(?:about|meet) the authors?\b|(?:written|posted|published) by\b", re.I), "about the author"),
    (
        re.compile(
            r".*\b(?:builds and maintains|corrections? (?:are |is )?(?:\w+ )?welcome|get in touch)\b", re.I
        ),
        "about the author",
    ),
    (re.compile(r".*(?:©|\ball rights reserved\b|\bcopyright \d{4})", re.I), "copyright"),
    (
        re.compile(r"(?:say|speak|write) (?:the|your|each) answers?\b.*\b(?:before|out loud|aloud)\b", re.I),
        "tells the reader how to use the page",
    ),
    (
        re.compile(r"(?:watch|click|drag|hover|tap|press|scroll|play) .*[.!]\Z", re.I),
        "speaks of something to see or click on the page",
    ),
    (
        re.compile(
            r"(?:share this|subscribe|sign up|cookie|table of contents|previous|next:|back to top)\b.{0,80}\Z",
            re.I,
        ),
        "belongs to the site",
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question found in a line, with what of the answer stands in the same line."""

    question: str
    answer: str = ""


def bold_question(line: str) -> Asked | None:
    """Return `**Question?** answer`, wherever it stands."""
    found = _BOLD.match(line.strip())
    return Asked(found[1].strip(), found[2].strip()) if found else None


def one_line_question(line: str, *, in_faq: bool = False) -> Asked | None:
    """Return `Question? Answer.`; outside an FAQ only with a word that asks at its beginning."""
    found = (_ANY_LINE if in_faq else _ONE_LINE).match(line.strip())
    return Asked(found[1].strip(), found[2].strip()) if found else None


def is_question(line: str) -> bool:
    """Return whether a line is a question and nothing else."""
    return bool(_ALONE.match(line.strip()))


def named_section(line: str) -> str:
    """Return what "What does this module say about X?" asks for, "" for any other line."""
    found = _NAMED.match(line.strip())
    return found[1].strip() if found else ""


def asks_takeaway(line: str) -> bool:
    """Return whether a line asks for the one-line takeaway of the page."""
    return bool(_TAKEAWAY.match(line.strip()))


def why_left(line: str) -> str:
    """Return why a line is no part of the lesson, "" if it is."""
    text = re.sub(r"\A[*_#> ]+", "", line.strip())
    return next((reason for pattern, reason in _LEFT if pattern.match(text)), "")
