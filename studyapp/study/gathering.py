"""What an import finds: files read one by one, named, checked against what is here already. Nothing is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.cards import Card, LeftOut, Parsed, Problem, note_of
from studyapp.core.errors import DeckError
from studyapp.decks import files, load
from studyapp.decks.clean import clean_line, settle
from studyapp.store.relinking import ALIKE, card_text, ratio
from studyapp.study import arriving
from studyapp.study.arriving import Arrival

if TYPE_CHECKING:
    from studyapp.store.records import ModuleChange
    from studyapp.study.desk import Desk


_PAIRS = 400
"""Pairs of cards that are compared at most."""


@dataclass
class Brought:
    """What an import did, or would do."""

    arrivals: list[Arrival] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    left_out: list[tuple[str, LeftOut]] = field(default_factory=list)
    """With the path each one is about."""
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    marks: list[tuple[str, str]] = field(default_factory=list)
    """(card, mark of the learner's own) for cards that are here already, in another lesson."""
    alike: list[tuple[str, str, float]] = field(default_factory=list)
    """(id that went, id that came, how alike their texts are, 0-1): perhaps one card, edited and moved at once."""
    packages: list[Path] = field(default_factory=list)
    """Packages of Anki that were found and not opened: each is imported by itself, with its history."""
    reviews: int = 0
    """Rows of another record that were new here."""
    gone: int = 0
    """Cards of an earlier import that are in none of its files any more; hidden with their history."""
    earlier: frozenset[str] = frozenset()
    """Ids of the cards that an earlier import of these files gave."""

    @property
    def cards(self) -> list[Card]:
        """Return all cards that are there now."""
        return [card for arrival in self.arrivals for card in arrival.parsed.module.cards]

    @property
    def count_line(self) -> str:
        """Return the line that every import ends with.

        >>> Brought(new=1).count_line
        '1 card: 1 new, 0 changed, 0 unchanged'
        """
        total = self.new + self.changed + self.unchanged
        words = f"{_plural(total, 'card')}: {self.new} new, {self.changed} changed, {self.unchanged} unchanged"
        if self.reviews:
            words += f", {_plural(self.reviews, 'review')} added"
        if self.gone:
            words += f", {self.gone} gone (history kept)"
        return words + (f"; {_plural(len(self.problems), 'problem')}" if self.problems else "")

    def add(self, change: ModuleChange) -> None:
        """Count what storing one module changed."""
        self.new += change.new
        self.changed += change.changed + change.returned
        self.unchanged += change.unchanged
        self.gone += change.hidden

    def count_moved(self) -> None:
        """Count no card as gone that only went to another of the files; call it when all are added."""
        if self.earlier:
            self.gone = min(self.gone, len(self.earlier - {card.id for card in self.cards}))


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


class Gathering:
    """Reads what there is to import and finds out what stands in its way."""

    def __init__(self, desk: Desk | None, folder: Path, brought: Brought, title: str = "") -> None:
        self.desk, self.folder, self.brought, self.title = desk, folder, brought, title
        self.texts: dict[str, Path] = {}
        """Digest of each text with the file that had it first."""
        self.modules: dict[str, str] = {}
        """Module ids in use, each with its file's name or path."""
        self.before: list[Card] = []
        """What earlier imports of these files hold."""
        self.cards: dict[str, str] = {}
        """Ids of notes of this import, each with its file."""
        self.imports = imports_of(desk)
        if desk is not None:
            self.modules = {m.id: m.path for m in desk.store.modules()}

    def gather(self, path: Path) -> None:
        """Read a file or every file of a folder."""
        top = path if path.is_dir() else path.parent
        entries = files.scan(path, (*files.IMPORTED, *files.PACKAGES))
        if not entries:
            self._refuse(path, "holds nothing that is read: no lesson, deck, page, table or Anki package")
        for entry in entries:
            if entry.skipped:
                self._refuse(entry.path, entry.skipped)
                continue
            if entry.path.suffix.lower() in files.PACKAGES:
                self.brought.packages.append(entry.path)
                continue
            try:
                self._take(Path(entry.path), top)
            except DeckError as error:
                self._refuse(entry.path, str(error))

    def _refuse(self, path: Path, reason: str) -> None:
        self.brought.problems.append(Problem(clean_line(str(path)), 0, reason))

    def _take(self, path: Path, top: Path) -> None:
        remembered = self._remembered(path) or self._renamed(path, arriving.digest_of(path))
        name = remembered.get("name") or self._name(path, top)
        copy = self._copy(name)
        own = copy.module.id if copy else ""
        earlier = copy.module.cards if copy else ()
        title = self.title or remembered.get("title", "")
        arrival = arriving.arrive(path, name, earlier, lambda card: self._is_elsewhere(card, own), title)
        first = self.texts.setdefault(arrival.digest, path)
        if first is not path:
            raise DeckError(f"has the same text as {clean_line(str(first))}; one of them is enough.")
        if copy and remembered and self._edited(name, remembered):
            if remembered.get("digest") != arrival.digest:
                raise DeckError(
                    f"was changed, and so was its copy {self.folder / name}.",
                    "Bring the changes together in the copy, or move it away and import again.",
                )
            if self.title and self.title != copy.module.title:
                kept = LeftOut(
                    0, f"its copy {name} was edited, so the title stays; change it there", is_remark=True
                )
                self.brought.left_out.append((clean_line(str(path)), kept))
            title = remembered.get("title", "")
            arrival = replace(
                arrival, text=self._text(name), parsed=copy, imported=remembered["copy"], title=title
            )
        if holder := self._same_elsewhere(arrival):
            left = LeftOut(0, f"the same lesson is read from {clean_line(holder)} already")
            self.brought.left_out.append((clean_line(str(path)), left))
            self.brought.marks += [(card.id, name) for card in arrival.parsed.module.cards for name in card.own]
            return
        if arrival.parsed.module.cards:
            self._check_ids(arrival)
            self.brought.arrivals.append(arrival)
            self.before += earlier
        self.brought.marks += arrival.marks
        self.brought.problems += arrival.parsed.problems
        self.brought.left_out += [(clean_line(str(path)), left) for left in arrival.parsed.left_out]

    def adopt_moved(self) -> None:
        """Give cards that came new the id, and the history, of a card with the very same text that went."""
        if self.desk is None:
            return
        here = {card.id for card in self.brought.cards}
        went = [(card.text_hash, card.id) for card in self.desk.store.cards(include_hidden=True) if card.hidden]
        went += [(card.text_hash, card.id) for card in self.before]
        gone = {text: name for text, name in went if name not in here and ":" not in name}
        for at, arrival in enumerate(self.brought.arrivals):
            names = {
                card.id: gone.pop(card.text_hash)
                for card in arrival.parsed.module.cards
                if card.text_hash in gone and self.desk.store.card(card.id) is None
            }
            if names:
                self.brought.arrivals[at] = arriving.with_other_ids(arrival, names)

    def find_alike(self) -> None:
        """Look for cards that went and cards that came with nearly the same text: they may be one."""
        if self.desk is None:
            return
        here = {card.id for card in self.brought.cards}
        gone = [card for card in self.before if card.id not in here]
        fresh = [card for card in self.brought.cards if self.desk.store.card(card.id) is None]
        if len(gone) * len(fresh) > _PAIRS:
            return
        for old in gone:
            for new in fresh:
                alike = ratio(card_text(old.prompt, old.answer), card_text(new.prompt, new.answer))
                if alike >= ALIKE:
                    self.brought.alike.append((old.id, new.id, alike))

    def _is_elsewhere(self, card: Card, module: str) -> bool:
        stored = self.desk.store.card(card.id) if self.desk else None
        if stored is None or stored.hidden or stored.module == module:
            return False
        return "/" in card.id or stored.text_hash == card.text_hash  # "1" is the id of many a card

    def _remembered(self, path: Path) -> dict[str, str]:
        values = self.imports.get(key_of(path), {})
        return values if values and (self.folder / values["name"]).exists() else {}

    def _renamed(self, path: Path, text_digest: str) -> dict[str, str]:
        """Return what is remembered of a file that is gone and had this very text: this one, renamed or moved."""
        for key, values in self.imports.items():
            if (
                values["digest"] == text_digest
                and not Path(key).exists()
                and (self.folder / values["name"]).exists()
            ):
                return values
        return {}

    def _name(self, path: Path, top: Path) -> str:
        """Return the name for a file that was not imported before: its own, if that is free or the same deck."""
        taken = [arrival.name for arrival in self.brought.arrivals]
        name = arriving.file_name(path, top, taken)
        copy = self._copy(name)
        if copy is None or _same_deck(path, name, copy):
            return name
        return arriving.file_name(path, top, [*taken, *(p.name for p in self.folder.glob("*.md"))])

    def _text(self, name: str) -> str:
        return files.read(self.folder / name).text

    def _copy(self, name: str) -> Parsed | None:
        if not (self.folder / name).is_file():
            return None
        return load.parse(self._text(name), name)

    def _edited(self, name: str, remembered: dict[str, str]) -> bool:
        return digest_of_text(self._text(name)) != remembered.get("copy")

    def _same_elsewhere(self, arrival: Arrival) -> str:
        """Return which file holds this very lesson, as the program's own folder may; "" where none does."""
        module = arrival.parsed.module
        holder = self.modules.get(module.id, "")
        if self.desk is None or not holder or holder == str(self.folder / arrival.name):
            return ""
        there = {card.id: card.text_hash for card in self.desk.store.cards(module.id)}
        return holder if there == {card.id: card.text_hash for card in module.cards} else ""

    def _check_ids(self, arrival: Arrival) -> None:
        module, own = arrival.parsed.module, str(self.folder / arrival.name)
        holder = self.modules.setdefault(module.id, own)
        if holder != own:
            raise DeckError(f"its module id '{module.id}' belongs to {clean_line(holder)}.", "Give it another id.")
        for card in module.cards:
            where = self.cards.setdefault(card.id, own)
            stored = self.desk.store.card(card.id) if self.desk and where == own else None
            if where != own or (stored and not stored.hidden and stored.module != module.id):
                where = where if where != own or stored is None else stored.path
                raise DeckError(
                    f"its card id '{note_of(card.id)}' (line {card.line}) is used in {clean_line(where)}.",
                    "Give it another id, or write 'id: NAME' at the top between two '---' lines.",
                )


def key_of(path: Path) -> str:
    """Return what a source is remembered by: its real path."""
    return clean_line(str(path.resolve()))


def imports_of(desk: Desk | None) -> dict[str, dict[str, str]]:
    """Return what is remembered of earlier imports, by the source's path: name and digests."""
    found = desk.store.meta_get("imports") if desk else None
    values: dict[str, dict[str, str]] = json.loads(found) if found else {}
    return values


def digest_of_text(text: str) -> str:
    """Return 32 hex digits over a text, the same whatever its line ends."""
    return files.Source(Path(), settle(text)).digest


def _same_deck(path: Path, name: str, copy: Parsed) -> bool:
    """Return whether a file that comes from elsewhere is another version of what is there already."""
    try:
        _, parsed, _ = arriving.read(path, name)
    except DeckError:
        return False
    texts = {card.text_hash for card in parsed.module.cards}
    prompts = {card.prompt for card in parsed.module.cards}
    there = [c for c in copy.module.cards if c.text_hash in texts or c.prompt in prompts]
    return 2 * len(there) >= min(len(parsed.module.cards), len(copy.module.cards))
