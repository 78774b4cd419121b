"""One file on its way in: read, made an ordinary lesson file, its cards given ids that earlier imports gave them.

Nothing is written here; `moving` does that when every file is ready.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from studyapp.core.cards import Card, LeftOut, Module, Parsed, Problem, note_of
from studyapp.core.errors import DeckError
from studyapp.decks import ids, load, mixed, page, write
from studyapp.decks.clean import clean_line
from studyapp.decks.files import MAX_BYTES
from studyapp.decks.front import read_front, with_title
from studyapp.decks.marks import ID, slug
from studyapp.decks.notes import Notes
from studyapp.store.relinking import Text, card_text, likely_edits
from studyapp.study.lessons import known_experiment

_FROM_ANKI = re.compile(r"anki-[A-Za-z0-9._~%-]+:[0-9]+")
"""The id of a card from a package, as a table of ours names it: it is nobody else's."""
_WRITABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*(?::c\d+)?")
"""An id that a file can hold as a whole."""
_NAMED = 4
"""Lines at most about rows whose cards are here already: a table of everything has all the program's own."""
_PAGES = (load.Form.PLAIN, load.Form.PAGE, load.Form.MIXED)
_FORMS_KEPT = (load.Form.LESSON, load.Form.DECK)
"""Forms whose text is kept as it is; others are written anew as a lesson."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file that is ready to become the learner's own."""

    source: Path
    name: str
    """Of the file in the lessons folder."""
    text: str = ""
    digest: str = ""
    """Of the source's text."""
    parsed: Parsed = field(default_factory=lambda: Parsed(Module("", "")))
    """What `text` holds as a lesson file; problems and left-out text are those of the source, with its lines."""
    imported: str = ""
    """Digest of the copy as it was imported, where the learner has edited it since; it is left as it is."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Line of each card in the source, from 1, by id."""
    title: str = ""
    """What the learner called it at the import, "" for what it calls itself."""
    marks: tuple[tuple[str, str], ...] = ()
    """(card, mark of the learner's own) of rows left out because their card is here already, in another lesson."""


def read(path: Path, name: str, title: str = "") -> tuple[load.Form, Parsed, str]:
    """Return a source file's form, its content read under the name it will have, and its settled text.

    Raises:
        DeckError: If it cannot be read, or holds neither a card nor a text to learn from.
    """
    source = load.read(path)
    form = load.form_of(source.text, str(path))
    if form in _PAGES:
        read_page = mixed.parse if form is load.Form.MIXED else page.parse
        parsed = read_page(source.text, str(path), known_experiment, prompts=True, title=title)
    else:
        parsed = load.parse(source.text, str(path), known_experiment)
    parsed = load.with_source(parsed, source)
    if not parsed.module.cards:
        why = next((p.message for p in parsed.problems if p.message.startswith("no card in")), "no card")
        others = [p for p in parsed.problems if not p.message.startswith("no card in")]
        first = others[0] if others else Problem("", 1, why)
        raise DeckError(f"{clean_line(str(path))}:{first.line}: {first.message}.")
    module = replace(
        parsed.module,
        id=_written_id(source.text) or name.removesuffix(".md"),
        title=title or parsed.module.title,
    )
    return form, replace(parsed, module=module), source.text


def arrive(
    path: Path, name: str, earlier: Sequence[Card], is_elsewhere: Callable[[Card], bool], title: str = ""
) -> Arrival:
    """Return a file made ready.

    Args:
        path: The file.
        name: The name it will have, ending in ".md".
        earlier: Cards of the same file as an earlier import left them, whose ids go on.
        is_elsewhere: Says whether a card is in another lesson already; such rows of a table are left out.
        title: What to call it, "" for what it calls itself.

    Raises:
        DeckError: If it cannot be read or gives more than a lesson file may hold.
    """
    form, parsed, source = read(path, name, title)
    digest = text_digest(source)
    marks: tuple[tuple[str, str], ...] = ()
    if form in _FORMS_KEPT:
        text, left = _with_ids(with_title(source, title) if title else source, name, earlier)
        above = text.count("\n") - source.count("\n")
        lines = {card.id: card.line - above for card in load.parse(text, name).module.cards}
        problems = [
            Problem(clean_line(str(path)), w.line - above, "there is no place for an id in this question")
            for w in left
        ]
    else:
        marks = tuple((c.id, name) for c in parsed.module.cards if c.own and is_elsewhere(c) for name in c.own)
        parsed = _only_new(parsed, is_elsewhere)
        module = _module_with_ids(parsed.module, earlier)
        lines = {card.id: card.line for card in module.cards}
        written = write.markdown(module)
        text = written.text
        problems = [
            Problem(
                clean_line(str(path)),
                _line_of(module, i),
                f"a part of its text reads like a lesson's own marks and got a backslash: {i}",
            )
            for i in written.altered
        ]
    if len(text.encode()) > MAX_BYTES:
        raise DeckError(
            f"{clean_line(str(path))} gives a lesson above {MAX_BYTES >> 20} MiB.", "Split it into several."
        )
    final = load.parse(text, name, known_experiment)
    remarks = tuple(p for p in parsed.problems if not _mended(p))
    said = replace(final, problems=(*remarks, *problems), left_out=parsed.left_out)
    return Arrival(path, name, text, digest, said, lines=lines, title=title, marks=marks)


def text_digest(text: str) -> str:
    """Return 32 hex digits over a settled text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def digest_of(path: Path) -> str:
    """Return 32 hex digits over a file's settled text.

    Raises:
        DeckError: If it cannot be read.
    """
    return load.read(path).digest


def with_other_ids(arrival: Arrival, names: Mapping[str, str]) -> Arrival:
    """Return a file in which some ids are others.

    Args:
        arrival: The file made ready.
        names: The new id for each card id that is to go.
    """
    prefix = f"{_written_id(arrival.text)}/" if _written_id(arrival.text) else ""
    text = arrival.text
    for old, new in names.items():
        mark = re.compile(rf"(<!-- id: |\{{#){re.escape(as_written(old, prefix))}(?=[ ,}}])")
        written = as_written(new, prefix)
        text = mark.sub(rf"\g<1>{written}", text, count=1)
    module = load.parse(text, arrival.name, known_experiment).module
    return replace(arrival, text=text, parsed=replace(arrival.parsed, module=module))


def _only_new(parsed: Parsed, is_elsewhere: Callable[[Card], bool]) -> Parsed:
    here = [card for card in parsed.module.cards if card.explicit_id and is_elsewhere(card)]
    left = [LeftOut(card.line, f"card {card.id} is here already, in another lesson") for card in here]
    if len(left) > _NAMED:
        rest = here[_NAMED - 1 :]
        words = f"{len(rest)} more cards are here already, down to {rest[-1].id} in line {rest[-1].line}"
        left[_NAMED - 1 :] = [LeftOut(rest[0].line, words)]
    known = {card.id for card in here}
    cards = tuple(card for card in parsed.module.cards if card.id not in known)
    return replace(parsed, module=replace(parsed.module, cards=cards), left_out=(*parsed.left_out, *left))


def _mended(problem: Problem) -> bool:
    """Return whether an import itself mends a problem: ids are written into the copy."""
    return problem.message.startswith(("no id: add", "no 'id:' in the front matter"))


def _line_of(module: Module, card_id: str) -> int:
    return next((card.line for card in module.cards if card.id == card_id or card.prompt == card_id), 0)


def file_name(path: Path, top: Path, taken: Iterable[str]) -> str:
    """Return a free name in the lessons folder: the file's own in plain letters, after its folder's if need be."""
    parts = path.relative_to(top).parts if top in path.parents else (path.name,)
    others = {name.casefold() for name in taken}
    for count in range(1, len(parts) + 1):
        stem = "-".join([*parts[-count:-1], Path(parts[-1]).stem])
        if (name := f"{plain_name(stem)}.md").casefold() not in others:
            return name
    number, stem = 2, plain_name(path.stem)
    while f"{stem}-{number}.md".casefold() in others:
        number += 1
    return f"{stem}-{number}.md"


def plain_name(text: str) -> str:
    """Return an id made of a name: ASCII letters, digits, dashes.

    >>> plain_name("Größe der Netze")
    'grosse-der-netze'
    """
    ascii_text = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    name = slug(ascii_text).replace("_", "-").strip("-")[:80]
    if name != "untitled" and re.match(r"[a-z0-9]", name):
        return name
    return "deck-" + hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=3).hexdigest()


def _written_id(text: str) -> str:
    """Return the module id in a text's front matter, "" where none is written."""
    return read_front(text.split("\n"), Notes("")).get("id")


def _with_ids(text: str, name: str, earlier: Sequence[Card]) -> tuple[str, list[ids.Wanted]]:
    fresh = load.parse(text, name)
    prefix = f"{written}/" if (written := _written_id(text)) else ""
    without = ids.without_ids(fresh)
    known = carried(without, earlier)
    taken = [note_of(card.id) for card in fresh.module.cards if card.explicit_id]
    wanted = []
    for card in without:
        full = known.get(card.line)
        if full is None:
            local = ids.fresh_id(card, [i.removeprefix(prefix) for i in taken], "" if prefix else name)
            full = prefix + local
        taken.append(full)
        wanted.append(ids.Wanted(card.line, as_written(full, prefix)))
    if not wanted:
        return text, []
    return ids.add_ids(text, wanted, lambda words: load.parse(words, name))


def as_written(full: str, prefix: str) -> str:
    """Return an id as it stands in a file whose module puts `prefix` before its ids."""
    local = full.removeprefix(prefix) if prefix else full
    return local if "/" not in local and (not prefix or full.startswith(prefix)) else f"/{full}"


def _module_with_ids(module: Module, earlier: Sequence[Card]) -> Module:
    """Return a module whose every card has an id: the one it had, or one made of its words."""
    prefix = f"{module.id}/"
    known = carried([card for card in module.cards if not card.explicit_id], earlier)
    taken = [note_of(card.id) for card in module.cards if card.explicit_id]
    notes: dict[str, str] = {}
    cards = []
    for card in module.cards:
        if not card.explicit_id:
            full = notes.get(card.note) or known.get(card.line)
            if full is None or (full in taken and full not in notes.values()):
                full = prefix + ids.fresh_id(card, [i.removeprefix(prefix) for i in taken])
            if card.note:
                notes[card.note] = full
            taken.append(full)
            card = replace(card, id=full + card.id if card.note else full, explicit_id=True)
        elif not _FROM_ANKI.fullmatch(card.id) and ("/" not in card.id or not _WRITABLE.fullmatch(card.id)):
            # a bare id such as "1" would be every table's: the module's is put before it, as in any lesson
            own, colon, gap = card.id.partition(":")
            local = own if ID.match(own) else plain_name(own)
            card = replace(card, id=f"{prefix}{local}{colon}{gap}")
        cards.append(card)
    return replace(module, cards=tuple(cards))


def carried(new: Sequence[Card], earlier: Sequence[Card]) -> Mapping[int, str]:
    """Return the note ids that cards without one had before, by line: the same text, or a likely edit of it."""
    found: dict[int, str] = {}
    by_text: dict[str, list[Card]] = {}
    for card in earlier:
        by_text.setdefault(card.text_hash, []).append(card)
    for card in new:
        if same := by_text.get(card.text_hash):
            found.setdefault(card.line, note_of(same.pop(0).id))
    used = set(found.values())
    gone = [card for card in earlier if note_of(card.id) not in used and card.kind != "cloze"]
    fresh = [card for card in new if card.line not in found and card.kind != "cloze"]
    before = [Text(at, card_text(card.prompt, card.answer), "", "") for at, card in enumerate(gone)]
    after = [Text(at, card_text(card.prompt, card.answer), "", "") for at, card in enumerate(fresh)]
    for old, at in likely_edits(before, after):
        found[fresh[at].line] = gone[old].id
    return found
