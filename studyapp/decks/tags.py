"""`#tags` as other programs write them: at the end of a question, of an answer, or on a line of their own.

`#flashcards/biology` says that cards are meant and what of: the tag is `biology`.
"""

from __future__ import annotations

import re

from studyapp.decks.separators import LONGEST_LINE, tail

_TAG = re.compile(r"#([\w/-]+)")
_MEANS = re.compile(r"\A(?:flash)?cards?(?:/|\Z)", re.IGNORECASE)
_ALONE = re.compile(r"(?:#[\w/-]+[ \t]*)+\Z")


def alone(line: str) -> list[str] | None:
    """Return the words of a line that holds nothing but tags, or None for another line."""
    return _names(line) if _ALONE.match(line.strip()) else None


def taken(prompt: str) -> tuple[list[str], str]:
    """Return the tags at the end of a question (or before its id comment), and the question without them."""
    words, mark = prompt, ""
    if len(prompt) > LONGEST_LINE:
        return [], prompt
    if found := re.search(r"[ \t]*<!--[^>]*-->[ \t]*\Z", prompt):
        words, mark = prompt[: found.start()], found[0]
    at = tail(words)
    if not _TAG.search(words[at:]) or not words[:at].strip():
        return [], prompt
    return _names(words[at:]), words[:at] + mark


def moved(answer: str) -> tuple[str, str]:
    """Return an answer without the tags or id comment that end its line, and those, which are the question's."""
    found = re.search(r"[ \t]*(<!--[^>]*-->|\{#[^{}\s]+\})[ \t]*\Z", answer)
    words, mark = (answer[: found.start()], f" {found[1]}") if found else (answer, "")
    at = tail(words)
    if _TAG.search(words[at:]) and words[:at].strip():
        return words[:at].rstrip(), f" {words[at:].strip()}{mark}"
    return words, mark


def _names(text: str) -> list[str]:
    return [word for name in _TAG.findall(text) if (word := _MEANS.sub("", name))]
