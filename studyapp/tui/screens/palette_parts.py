"""What the palette finds: entries with what they do, their ranking, and one row as Content."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from studyapp.tui.fuzzy import fit
from studyapp.tui.places import PLACES, open_place
from studyapp.tui.theme import PALETTES
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard
    from studyapp.tui.screens.base import StudyScreen

Deed = Callable[["StudyScreen"], Awaitable[None]]
WEIGHTS = {"here": 1.25, "go to": 1.2, "theme": 1.0, "section": 1.0, "try": 0.95, "card": 0.8}
"""What counts more where two fit alike: what is near."""
MOST = 200
KIND_ROOM = 9
TITLE_ROOM, NARROW_TITLE = 24, 20
NARROW, NARROWEST = 70, 48
"""Widths below which titles have less room, and words none."""


@dataclass(frozen=True)
class Entry:
    """One thing that can be done."""

    kind: str
    """A key of `WEIGHTS`."""
    title: str
    words: str
    key: str = ""
    """The key that does it without the palette."""
    run: Deed = field(default=lambda _: _nothing(), compare=False)


async def _nothing() -> None:
    return None


def entries(behind: StudyScreen) -> list[Entry]:
    """Return everything but cards: the screen's own commands first."""
    found = [
        Entry("here", command.footer or command.id.rpartition(".")[2], command.words, command.shown[0],
              _do(command.action))
        for command in behind.commands_here()
    ]  # fmt: skip
    near = {entry.title for entry in found}  # what a key of this screen opens is named once
    found += [
        Entry("go to", place.title, place.words, "", _go(name))
        for name, place in PLACES.items()
        if (not place.needs_desk or behind.desk is not None) and place.title not in near
    ]
    found += [Entry("theme", name, "Draw in this theme from now on", "", _theme(name)) for name in PALETTES]
    return [*found, *_of_the_lessons(behind), *_of_the_experiments(behind)]


def _of_the_lessons(behind: StudyScreen) -> list[Entry]:
    if behind.desk is None:
        return []
    store = behind.desk.store
    return [
        Entry(
            "section",
            clean_place(section.title),
            clean_place(module.title),
            "",
            _go("read", module.id, section.id),
        )
        for module in store.modules()
        for section in store.sections(module.id)
    ]


def _of_the_experiments(behind: StudyScreen) -> list[Entry]:
    if behind.desk is None:
        return []
    from studyapp.experiments.catalog import experiments

    return [Entry("try", found.id, found.claim, "", _try(found.id)) for found in experiments()]


def of_cards(cards: Sequence[StoredCard]) -> list[Entry]:
    """Return cards as entries that open them in the browser."""
    return [
        Entry("card", "", clean_place(card.prompt), "", _go("browse", False, f'id:"{card.id}"'))
        for card in cards
        if "browse" in PLACES
    ]


def _do(action: str) -> Deed:
    async def deed(behind: StudyScreen) -> None:
        await behind.run_action(action)

    return deed


def _go(name: str, *args: object) -> Deed:
    async def deed(behind: StudyScreen) -> None:
        open_place(behind.study, name, *args)

    return deed


def _theme(name: str) -> Deed:
    async def deed(behind: StudyScreen) -> None:
        behind.study.choose_theme(name)

    return deed


def _try(experiment: str) -> Deed:
    async def deed(behind: StudyScreen) -> None:
        from studyapp.tui.screens.experiment import ExperimentScreen

        behind.app.push_screen(ExperimentScreen(experiment, {}))

    return deed


def ranked(query: str, everything: Sequence[Entry]) -> list[Entry]:
    """Return what fits the query, best first; without one, what is near: commands, places and themes."""
    if not query.strip():
        return [entry for entry in everything if entry.kind in ("here", "go to", "theme")]
    scored = [(_score(query, entry), -number, entry) for number, entry in enumerate(everything)]
    best = sorted((item for item in scored if item[0]), key=lambda item: item[:2], reverse=True)
    return [entry for _, _, entry in best[:MOST]]


def _score(query: str, entry: Entry) -> float:
    by_title = fit(query, entry.title) * 1.5 if entry.title else 0.0
    # letters scattered over a whole sentence mean nothing: there a word must stand together
    whole = max(by_title, fit(query, f"{entry.kind} {entry.title}"))
    by_words = fit(query, f"{entry.title} {entry.words}") if len(query) > 2 else 0.0
    return max(whole, by_words * 0.8) * WEIGHTS[entry.kind]


def row(entry: Entry, width: int, *, here: bool) -> Content:
    """Return one row: what kind it is, its title, its words, its key."""
    bar = ("▌ " if here else "  ", "$s-sky")
    kind = (_fit(entry.kind, KIND_ROOM), "$s-muted") if width >= 50 else ("", "")
    key = f" {entry.key}" if entry.key else ""
    left = width - 2 - cell_len(kind[0]) - cell_len(key)
    title = NARROW_TITLE if width < NARROW else TITLE_ROOM
    bright, plain = ("bold $s-bright", "$s-text") if here else ("$s-text", "$s-muted")
    if not entry.title:
        body = Content.styled(_fit(entry.words, left), bright)
    elif width < NARROWEST:
        body = Content.styled(_fit(entry.title, left), bright)
    else:
        body = Content.assemble((_fit(entry.title, title), bright), (_fit(entry.words, left - title), plain))
    return Content.assemble(bar, kind, body, (key, "bold $s-bright" if here else "$s-muted"))


def _fit(text: str, room: int) -> str:
    if room <= 0:
        return ""
    return set_cell_size(text, room) if cell_len(text) < room else set_cell_size(text, max(0, room - 2)) + "… "
