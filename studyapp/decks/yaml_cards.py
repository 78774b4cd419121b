"""Cards written in YAML: a `.yaml` file, or a list `cards:` in the front matter of a Markdown file.

A card is a mapping with a question and an answer, under any of the names people use, or one entry of a mapping
from questions to answers. Aliases are refused: no card needs them, and a few lines of them can mean gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import yaml

from studyapp.core.cards import Card, Module, Parsed
from studyapp.decks import files
from studyapp.decks.blocks import read_blocks
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.cloze import find_gaps, make_cards
from studyapp.decks.front import CARDS, FRONT
from studyapp.decks.kinds import found_in
from studyapp.decks.marks import ID, slug
from studyapp.decks.notes import Known, Notes
from studyapp.decks.parts import Scope, Span, take_parts

_NAMES = {
    "question": "question front prompt term q text cloze",
    "answer": "answer back definition meaning response a solution correct correct_answer",
    "options": "options choices answers",
    "more": "explanation extra note notes details",
    "id": "id uid guid uuid",
    "tags": "tags tag",
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names.split()}
_TITLES = ("title", "name", "deck")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Ten times faster where PyYAML was built with libyaml."""
_TRUE = ("true", "yes", "on")


@dataclass(slots=True)
class _Reader:
    notes: Notes
    scope: Scope
    offset: int
    """Lines above the YAML."""

    def line(self, node: yaml.Node) -> int:
        """Return where a node begins, from 1."""
        return int(node.start_mark.line) + 1 + self.offset


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return the cards of a YAML text, or of a Markdown text's front matter, and what is wrong, with its line.

    Args:
        text: The file's text.
        path: Where it came from, for messages and the module's id; its ending tells YAML from Markdown.
        known: Says what is wrong with an experiment link, or None.
    """
    notes = Notes(path, known)
    text = settle(text)
    front = None if PurePath(path).suffix.lower() in files.YAML else FRONT.match(text)
    top = _top(front[1] if front else text, 1 if front else 0, notes)
    about = _about(top)
    reader = _Reader(notes, Scope("basic", about.get("id", ""), tags=_words(about.get("tags", ""))), bool(front))
    cards = [card for entry in _entries(top, reader) for card in _cards(*entry, reader)]
    if front and (below := text[front.end() :].lstrip()):
        line = text.count("\n", 0, len(text) - len(below)) + 1
        notes.leave(line, "the text below the front matter, where the cards are")
    if not cards and not notes.problems:
        notes.problem(1, "no card in this file: it has no list of mappings with 'question' and 'answer'")
    stem = clean_line(PurePath(path).stem)
    title = next((about[name] for name in _TITLES if name in about), stem)
    module = Module(about.get("id") or slug(stem), title, about.get("summary", ""), (), tuple(cards), notes.path)
    return Parsed(module, notes.problems, notes.left_out)


def _top(text: str, offset: int, notes: Notes) -> Sequence[yaml.Node]:
    """Return the documents of a YAML text; what is no YAML is reported and gives none."""
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line if event.start_mark else 0
                notes.problem(line + 1 + offset, "YAML aliases ('*name') are not read")
                return ()
        return [node for node in yaml.compose_all(text, Loader=_LOADER) if node]
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark.line + 1 + offset if error.problem_mark else 1
        notes.problem(at, f"this is no YAML: {excerpt(error.problem or 'it cannot be read')}")
    except (yaml.YAMLError, RecursionError):
        notes.problem(1 + offset, "this is no YAML that can be read")
    return ()


def _about(top: Sequence[yaml.Node]) -> dict[str, str]:
    """Return what a file says of itself: id, title, summary, tags."""
    found: dict[str, str] = {}
    for name, node in (entry for document in top for entry in _mapping(document)):
        if name in ("id", "summary", "tags", *_TITLES) and (words := _text(node)):
            found.setdefault(name, words)
    if not ID.match(found.get("id", "")):
        found.pop("id", None)
    return found


def _entries(top: Sequence[yaml.Node], reader: _Reader) -> Iterator[tuple[int, Mapping[str, yaml.Node]]]:
    """Yield the cards with their lines, as mappings from roles to nodes."""
    for document in top:
        named = dict(_mapping(document))
        lists = [named[key] for key in CARDS if key in named] or [document]
        for node in lists:
            if isinstance(node, yaml.SequenceNode):
                for item in node.value:
                    roles = {_ROLES[name]: value for name, value in reversed(_mapping(item)) if name in _ROLES}
                    if "question" in roles:
                        yield reader.line(item), roles
                    else:
                        wanted = "no card, a mapping with a 'question' is wanted here"
                        reader.notes.problem(reader.line(item), wanted)
            elif node is not document:
                for question, answer in node.value if isinstance(node, yaml.MappingNode) else ():
                    yield reader.line(question), {"question": question, "answer": answer}


def _cards(line: int, roles: Mapping[str, yaml.Node], reader: _Reader) -> list[Card]:
    texts = {role: _text(node) for role, node in roles.items() if role != "options"}
    question, answer = texts["question"], texts.get("answer", "")
    if "options" in roles:
        answer = _with_options(roles, reader)
    answer = "\n\n".join(part for part in (answer, texts.get("more", "")) if part)
    scope = replace(reader.scope, tags=(*reader.scope.tags, *_words(texts.get("tags", ""))))
    mark = f" <!-- id: {texts['id']} -->" if ID.match(texts.get("id", "")) else ""
    lines = answer.split("\n")
    document = read_blocks(lines)
    parts = take_parts(Span(lines, 0, len(lines), document.blocks), document.env, reader.notes)
    kind = "cloze" if not answer and find_gaps(question) else found_in(scope.kind, parts.answer)
    return make_cards(replace(scope, kind=kind), question + mark, parts, line, reader.notes)


def _with_options(roles: Mapping[str, yaml.Node], reader: _Reader) -> str:
    """Return options as a task list with the right ones ticked, or the plain answer where that is not told."""
    options = list(_options(roles["options"]))
    answer = roles.get("answer")
    values = answer.value if isinstance(answer, yaml.SequenceNode) else [answer] if answer else []
    said = {_text(value).casefold() for value in values}
    right = [ticked or name.casefold() in said or words.casefold() in said for name, words, ticked in options]
    if any(right):
        pairs = zip(options, right, strict=True)
        return "\n".join(f"- [{'x' if good else ' '}] {option[1]}" for option, good in pairs)
    line = reader.line(roles["options"])
    reader.notes.problem(line, "which of the options are right is not said by their words or letters")
    return _text(answer) if answer else ""


def _options(node: yaml.Node) -> Iterator[tuple[str, str, bool]]:
    """Yield letter or name, words, and whether it says of itself that it is right, for each option."""
    if isinstance(node, yaml.MappingNode):
        yield from ((_text(name), _line(value), False) for name, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            own = dict(_mapping(item))
            words = next((own[name] for name in ("text", "option", "answer", "label") if name in own), item)
            ticked = any(_text(own[name]).lower() in _TRUE for name in ("correct", "right") if name in own)
            yield chr(ord("a") + at) if at < 26 else "", _line(words), ticked


def _mapping(node: yaml.Node) -> list[tuple[str, yaml.Node]]:
    """Return the entries of a mapping, names in lower case; none for another node."""
    entries = node.value if isinstance(node, yaml.MappingNode) else ()
    return [(_text(key).lower().replace(" ", "_"), value) for key, value in entries]


def _text(node: yaml.Node) -> str:
    """Return a scalar as it is written, a list as a Markdown list; "" for anything deeper and for null."""
    if isinstance(node, yaml.ScalarNode):
        return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value).strip()
    if isinstance(node, yaml.SequenceNode):
        return "\n".join(f"- {_line(item)}" for item in node.value if isinstance(item, yaml.ScalarNode))
    return ""


def _line(node: yaml.Node) -> str:
    return " ".join(_text(node).split())


def _words(value: str) -> tuple[str, ...]:
    """Return tags: written in one line, or one in each."""
    return tuple(re.sub(r"^- ", "", value, flags=re.MULTILINE).replace(",", " ").split())
