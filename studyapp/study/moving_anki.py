"""Anki packages in and out: every card that can be studied, its whole past, and where it stands."""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.cards import Card
from studyapp.core.errors import UsageError
from studyapp.core.replay import replay
from studyapp.decks.anki.archive import collection_file
from studyapp.decks.anki.calendar import Calendar
from studyapp.decks.anki.mapping import OWN_DECK, Deck, Taken, read_cards
from studyapp.decks.anki.reader import open_collection
from studyapp.decks.anki.telling import telling
from studyapp.decks.anki.writer import Leaving, write_package
from studyapp.decks.clean import clean_line
from studyapp.store.arriving import AnsweredMeanwhileError, Arrived
from studyapp.store.card_marks import Marked, marks_of
from studyapp.store.origins import ORIGIN
from studyapp.study.anki_pasts import Package, Teller, here_of, past_of
from studyapp.study.backing_up import before
from studyapp.study.lessons import known_experiment
from studyapp.study.rebuilding import policies

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

SUFFIXES = (".apkg", ".colpkg", ".anki2", ".anki21")
"""Files that `import_apkg` reads."""


@dataclass
class Report:
    """What an import or an export of an Anki package did, or would do."""

    notes: int = 0
    cards: int = 0
    """Cards in the package."""
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    older: int = 0
    """Cards whose text here is newer; left as they are."""
    yours: int = 0
    """Cards of a lesson of the learner's own: only their past was taken."""
    reviews: int = 0
    """Reviews that were added (import) or written (export)."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Cards that became none, by reason."""
    placeholders: int = 0
    """Cards that show a placeholder for a picture or a sound."""
    reviews_left_out: int = 0
    """Reviews with a time that cannot be: before 1970, or more than a day ahead of the clock."""
    modules: tuple[str, ...] = ()
    taken: tuple[Card, ...] = ()
    """The cards of the package that can be studied."""
    dry_run: bool = False

    @property
    def made(self) -> int:
        """Cards that are there now."""
        return self.new + self.changed + self.unchanged + self.older + self.yours

    @property
    def exit_code(self) -> int:
        """1 where no card could be made, else 0."""
        return 0 if self.made else 1

    @property
    def count_line(self) -> str:
        """Return the line that every import ends with.

        >>> Report(2, 3, new=2, skipped=Counter({"empty front": 1})).count_line
        '2 notes, 3 cards: 2 made (2 new, 0 changed, 0 unchanged), 1 skipped (1 empty front); 0 reviews added'
        """
        counts = [f"{self.new} new", f"{self.changed} changed", f"{self.unchanged} unchanged"]
        counts += [f"{self.older} newer here"] if self.older else []
        counts += [f"{self.yours} of your own lessons"] if self.yours else []
        line = (
            f"{_plural(self.notes, 'note')}, {_plural(self.cards, 'card')}: {self.made} made ({', '.join(counts)})"
        )
        if self.skipped:
            reasons = ", ".join(f"{count} {reason}" for reason, count in self.skipped.most_common())
            line += f", {self.skipped.total()} skipped ({reasons})"
        return f"{line}; {_plural(self.reviews, 'review')} added"

    @property
    def remarks(self) -> list[str]:
        """Return what the learner should know besides, each in one sentence."""
        found = []
        if self.older:
            found.append(
                f"The package is older than what you have: {_plural(self.older, 'card')} kept the newer text. "
                "Import it with --older to take the old one."
            )
        if self.placeholders:
            found.append(
                f"Pictures and sound stay in the package; {_plural(self.placeholders, 'card')} "
                f"{'does' if self.placeholders == 1 else 'do'} without them."
            )
        if self.reviews_left_out:
            found.append(f"{_plural(self.reviews_left_out, 'review')} carry an impossible time and were left out.")
        return found


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def import_apkg(desk: Desk, path: Path, dry_run: bool = False, *, older: bool = False) -> Report:
    """Take the cards of a package, their whole past and their memory, in one transaction.

    Cards are known by guid and ordinal: a second import makes nothing new, a newer package changes texts and keeps
    progress. Study days are counted in the learner's zone with the learner's rollover.

    Args:
        desk: The open desk.
        path: An .apkg or .colpkg package, or a bare collection.
        dry_run: Store nothing; only say what would come.
        older: Take the package's texts even where the store has newer ones.

    Raises:
        DeckError: If the package cannot be read; nothing was stored.
        StoreError: If the store cannot be written; nothing was stored.
    """
    with _without_collector():
        return _import(desk, path, dry_run, older)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the garbage collector from walking through a million rows again and again: twice as fast (measured)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _import(desk: Desk, path: Path, dry_run: bool, older: bool) -> Report:
    calendar = Calendar(desk.clock())
    with (
        collection_file(path, desk.store.path.parent) as file,
        open_collection(file, clean_line(path.name)) as collection,
        telling(file, file.with_name("told.db"), calendar) as tells,
    ):
        if desk.store.newest_review_ms() is None:
            tells.begin_answers()
        deck = read_cards(collection, known_experiment)
        package = Package(file, collection, deck, tells, tells.spans(), calendar)
        while (report := _bring(desk, package, dry_run, older)) is None:
            pass  # something was answered in another window meanwhile: look again
    return report


def _bring(desk: Desk, package: Package, dry_run: bool, older: bool) -> Report | None:
    moment, policy_of = desk.clock(), policies(desk)
    here = here_of(desk, package)
    teller = Teller(package, here, desk.options.policy)
    try:
        arrived = desk.store.bring(
            teller.arriving,
            zone=moment.zone_name,
            now_ms=moment.at_ms,
            replay=lambda rows: replay(rows, policy_of),
            past=past_of(package, [one for one in package.deck.taken if one.card.id not in here.logged]),
            older=older,
            rehearse=dry_run,
            first=before(desk, "import") if desk.store.newest_review_ms() is not None else lambda: None,
        )
    except AnsweredMeanwhileError:
        return None
    return _report(package.deck, arrived, teller.left_out, dry_run)


def _report(deck: Deck, arrived: Arrived, left_out: int, dry_run: bool) -> Report:
    return Report(
        notes=deck.notes,
        cards=deck.cards,
        new=arrived.new,
        changed=arrived.changed,
        unchanged=arrived.unchanged,
        older=arrived.older,
        yours=arrived.yours,
        reviews=arrived.reviews,
        skipped=deck.skipped,
        placeholders=deck.placeholders,
        reviews_left_out=left_out,
        modules=arrived.modules,
        taken=tuple(one.card for one in deck.taken),
        dry_run=dry_run,
    )


def export_apkg(desk: Desk, path: Path, module: str | None = None) -> Report:
    """Write cards, their whole history and their memory as a package that Anki takes exactly.

    Args:
        desk: The open desk.
        path: A new file.
        module: Only this module, None for all.

    Raises:
        UsageError: If there is no such module, the file exists, or it cannot be written.
        StoreError: If the store cannot be read.
    """
    known = {one.id: one for one in desk.store.modules()}
    if module is not None and module not in known:
        raise UsageError(f"There is no module {module!r}.", f"There is: {', '.join(known) or 'none yet'}.")
    if path.exists():
        raise UsageError(f"{path} exists already; it was left as it is.", "Name a new file.")
    with _without_collector():
        return _export(desk, path, module)


def _export(desk: Desk, path: Path, module: str | None) -> Report:
    moment = desk.clock()
    leaving = list(_leaving(desk, module))
    if not leaving:
        raise UsageError("There are no cards to export.", "`studyapp list` shows what there is.")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        reviews = write_package(
            path,
            leaving,
            lambda database, statement: desk.store.pour_reviews(database, statement, module),
            calendar=Calendar(moment),
            policy=desk.options.policy,
            offset_min=moment.offset_min,
        )
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.", "Name another place.") from error
    modules = tuple(dict.fromkeys(one.module for one in leaving))
    return Report(len(leaving), len(leaving), unchanged=len(leaving), reviews=reviews, modules=modules)


def _leaving(desk: Desk, module: str | None) -> Iterator[Leaving]:
    modules = desk.store.leaving_modules()
    marked = marks_of(desk.store)
    for card, home, memory, suspended, buried_until_day in desk.store.leaving_cards(module):
        title, path, saved_s = modules[home]
        yield Leaving(
            card=_with_own_tags(card, marked.get(card.id)),
            module=home,
            title=title,
            deck=path.removeprefix(ORIGIN) if path.startswith(ORIGIN) else f"{OWN_DECK}::{home}",
            changed_s=saved_s,
            memory=memory,
            suspended=suspended,
            buried_until_day=buried_until_day,
            retention=desk.options.retention_of.get(home),
            flag=marked[card.id].flag if card.id in marked else "",
        )


def _with_own_tags(card: Card, marked: Marked | None) -> Card:
    if marked is None or not marked.tags:
        return card
    return replace(card, tags=tuple(dict.fromkeys((*card.tags, *marked.tags))))


__all__ = ["SUFFIXES", "Report", "Taken", "export_apkg", "import_apkg"]
