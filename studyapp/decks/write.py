"""Cards back to a lesson file: the ordinary Markdown of docs/lessons.md, for what came from elsewhere.

Every card is read again as it was written; a card whose text would be taken for a part of the file's own structure
gets a backslash there, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from studyapp.core.cards import Card, ExperimentLink, Module, Section, note_of
from studyapp.decks import lesson
from studyapp.decks.kinds import KINDS
from studyapp.decks.marks import WORDS

LABELS = {kind: label.capitalize() for label, kind in KINDS.items()}
"""How a card of each kind begins; other kinds are asked like "basic"."""
QUESTIONS = Section("questions", "Questions", "")
"""The section that cards outside any section are written in."""
_LOOKS_MEANT = re.compile(rf"^([ \t]*)((?:\*\*|__)[ ]*(?:{WORDS})\b)", re.I | re.M)


@dataclass
class Written:
    """A module as text."""

    text: str
    altered: list[str] = field(default_factory=list)
    """Ids of cards whose text could not be written exactly as it is."""


def markdown(module: Module, tags: Sequence[str] = ()) -> Written:
    """Return a module as a lesson file.

    Args:
        module: With its cards; an empty card id is left out.
        tags: Words for all cards of the file; they are not repeated at each card.
    """
    written = Written("")
    module = replace(module, cards=tuple(_writable(card) for card in module.cards))
    known = {section.id for section in module.sections}
    loose = tuple(replace(card, section=QUESTIONS.id) for card in module.cards if card.section not in known)
    kept = [card for card in module.cards if card.section in known]
    bare = not known and all(card.kind != "faq" for card in loose)
    last = replace(QUESTIONS, id=lesson.INTRO) if bare else _unused(known)
    sections = [*module.sections, *([last] if loose else [])]
    pieces = [_head(module, tags), f"# {_line(module.title)}"]
    for section in sections:
        own = [card for card in kept if card.section == section.id] if section.id in known else list(loose)
        pieces += _section(section, own, module, tags, written)
    written.text = "\n\n".join(piece for piece in pieces if piece) + "\n"
    return written


def block(card: Card, module: str) -> str:
    """Return one card as it stands in a lesson: the simplest quote that reads back as the same card.

    Args:
        card: With its id.
        module: The lesson's id.
    """
    return _checked(_writable(card), Module(module, module), (), Written(""))


def _writable(card: Card) -> Card:
    """Return a card as a file can hold it: a cloze card whose sentence is lost becomes a plain question."""
    if card.kind == "cloze" and not card.source:
        return replace(card, kind="basic", id=_GAP_OF_A_LESSON.sub("-", card.id), note="")
    return card


_GAP_OF_A_LESSON = re.compile(r":(?![0-9]+\Z)")
"""What the id of a plain question cannot have; `:1`, the ordinal of a card from Anki, it can."""


def _unused(known: set[str]) -> Section:
    name = next(name for name in (QUESTIONS.id, *(f"questions-{n}" for n in range(2, 99))) if name not in known)
    return replace(QUESTIONS, id=name)


def _head(module: Module, tags: Sequence[str]) -> str:
    lines = ["---", f"id: {module.id}", f"title: {_value(module.title)}"]
    if module.summary:
        lines.append(f"summary: {_value(module.summary)}")
    if tags:
        lines.append(f"tags: {' '.join(tags)}")
    return "\n".join([*lines, "---"])


def _value(text: str) -> str:
    words = _line(text)
    return f"'{words}'" if words[:1] in "\"'" and words[:1] == words[-1:] else words


def _line(text: str) -> str:
    return " ".join(text.split())


def _section(
    section: Section, cards: Sequence[Card], module: Module, tags: Sequence[str], written: Written
) -> Iterable[str]:
    asked = [card for card in cards if card.kind == "faq" and "\n" not in card.prompt.strip()]
    body = section.body
    for card in asked:  # stored sections repeat their questions in the text
        body = body.replace(f"### {card.prompt}\n\n{card.answer}", "").strip("\n")
    if section.id != lesson.INTRO:
        yield f"## {_line(section.title)} <!-- id: {section.id}{', faq' if asked else ''} -->"
    yield body
    notes: set[str] = set()
    for card in (card for card in cards if card not in asked):
        note = note_of(card.id) if card.kind == "cloze" else ""
        if note and note in notes:
            continue  # its siblings are written in one
        notes.add(note)
        yield _checked(card, module, tags, written)
    for card in asked:
        yield _faq(card, module, tags, written)


def _faq(card: Card, module: Module, tags: Sequence[str], written: Written) -> str:
    text = "\n\n".join([f"### {card.prompt.strip()}{_mark(card, module.id, tags)}", card.answer, *below(card)])
    around = f"---\nid: {module.id}\n---\n\n## Q <!-- id: {card.section or 'q'}, faq -->\n\n{text}"
    if _reads_as(card, around):
        return text
    return _checked(replace(card, kind="basic"), module, tags, written)


def _checked(card: Card, module: Module, tags: Sequence[str], written: Written) -> str:
    """Return a card as a quote, the simplest form that reads back as the same card."""
    safe = replace(card, prompt=_escaped(card.prompt), answer=_escaped(card.answer), source=_escaped(card.source))
    for attempt in (card, safe):
        for whole in (False, True):
            text = _quote(attempt, module.id, tags, whole=whole)
            if _reads_as(
                attempt, f"---\nid: {module.id}\n---\n\n## S <!-- id: {card.section or 's'} -->\n\n{text}"
            ):
                if attempt is safe and safe != card:
                    written.altered.append(card.id or card.prompt)
                return text
    written.altered.append(card.id or card.prompt)
    fenced = replace(card, prompt=_fenced(card.prompt), answer=_fenced(card.answer))
    return _quote(fenced, module.id, tags, whole=True)


def _escaped(text: str) -> str:
    return _LOOKS_MEANT.sub(r"\1\\\2", text)


def _fenced(text: str) -> str:
    ticks = max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1
    return f"{'`' * ticks}\n{text}\n{'`' * ticks}"


def _quote(card: Card, module: str, tags: Sequence[str], *, whole: bool) -> str:
    """Return a card as a quote; `whole` puts **Answer:** between question and answer."""
    label, mark = LABELS.get(card.kind, LABELS["basic"]), _mark(card, module, tags)
    head, gap, rest = (card.source or card.prompt).strip("\n").partition("\n\n")
    if re.match(r"[ \t]*(?:[`~]{3}|[-+*>#|]|\d+[.)]|    |\t|\$\$)", head):
        asks = f"**{label}:**{mark}\n\n{head}{gap}{rest}"
    else:
        asks = f"**{label}:** {head}{mark}{gap}{rest}"
    answer = _extra(card) if card.kind == "cloze" else card.answer
    if whole:
        plain = re.match(r"[^\s`~\-+*>#|\d$]", answer)
        answer = f"**Answer:** {answer}" if plain else f"**Answer:**\n\n{answer}"
    parts = [part for part in (asks, answer, *below(card)) if part]
    return "\n".join(f"> {line}".rstrip(" ") if not line.strip() else f"> {line}" for line in _lines(parts))


def _lines(parts: Iterable[str]) -> list[str]:
    return "\n\n".join(parts).split("\n")


def _extra(card: Card) -> str:
    """Return what stands below the sentence of a cloze card."""
    return card.answer.partition("\n\n")[2] if "\n\n" not in card.source else ""


def below(card: Card) -> list[str]:
    """Return what stands below a card's answer: its points to check and its experiments."""
    parts = []
    if card.key_points:
        parts += ["**Check:**", "\n".join(f"- {_line(point)}" for point in card.key_points)]
    if card.experiments:
        parts.append("**Try:** " + ", ".join(link_text(link) for link in card.experiments))
    return parts


def link_text(link: ExperimentLink) -> str:
    """Return an experiment link as Markdown."""
    controls = "&".join(f"{quote(name)}={quote(value)}" for name, value in link.controls.items())
    words = re.sub(r"([\\\[\]])", r"\\\1", _line(link.label)) or link.experiment
    return f"[{words}](experiment:{link.experiment}{'?' + controls if controls else ''})"


def _mark(card: Card, module: str, tags: Sequence[str]) -> str:
    own = [tag for tag in card.tags if tag not in tags]
    name = note_of(card.id) if card.kind == "cloze" else card.id
    local = name.removeprefix(f"{module}/")
    written = local if "/" not in local and local != name else f"/{name}"
    words = [f"id: {written}"] if name else []
    if own:
        words.append("tags: " + _words(own))
    words += own_words(card.own) if name else []
    return f" <!-- {', '.join(words)} -->" if words else ""


def _words(tags: Iterable[str]) -> str:
    return " ".join(re.sub(r"[\s,>]+", "-", tag) for tag in tags)


def own_words(marks: Sequence[str]) -> list[str]:
    """Return a learner's own marks as the parts of an id comment.

    >>> own_words(["tag:hard", "flag:red"])
    ['own: hard', 'flag: red']
    """
    tags = [mark[4:] for mark in marks if mark.startswith("tag:")]
    flags = [mark[5:] for mark in marks if mark.startswith("flag:")]
    return [*([f"own: {_words(tags)}"] if tags else []), *(f"flag: {flag}" for flag in flags[-1:])]


def _reads_as(card: Card, text: str) -> bool:
    """Return whether a text holds this card, with the same question, answer, key points and experiments."""
    kind = card.kind if card.kind in LABELS or card.kind == "faq" else "basic"
    parsed = lesson.parse(text, "")
    found = [c for c in parsed.module.cards if c.kind == kind and (not card.id or c.id == card.id)]
    return bool(found) and (kind == "cloze" or len(parsed.module.cards) == 1) and _same(found[0], card)


def _same(found: Card, card: Card) -> bool:
    return (
        (found.prompt, found.answer) == (card.prompt.strip("\n"), card.answer.strip("\n"))
        and found.key_points == tuple(_line(point) for point in card.key_points)
        and [(k.experiment, dict(k.controls)) for k in found.experiments]
        == [(k.experiment, dict(k.controls)) for k in card.experiments]
    )
