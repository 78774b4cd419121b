"""The palette: everything that can be done or opened, found by a few letters; enter does it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from studyapp.core.errors import StudyError
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.listing import ListScreen
from studyapp.tui.screens.palette_parts import Entry, entries, of_cards, ranked, row
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.study.finding import CardFinder

PAGE = 8
MOST_CARDS = 20
PAUSE_S = 0.12
"""How long typing must pause before the cards are searched."""
WIDEST = 96


class PaletteScreen(ListScreen):
    """A line to type on and what fits it."""

    PLACE = "palette"
    OPENS = "run"
    HELP = (
        "Type a few letters of what you look for: a command of the screen you came from, a place, a theme, a "
        "section of a lesson, an experiment, or words of a card. **{palette.run}** does it."
    )
    DEFAULT_CSS = """
    PaletteScreen #line { margin: 1 2 0 3; height: 1; }
    PaletteScreen #mark { width: 2; }
    PaletteScreen #query { height: 1; width: 1fr; border: none; padding: 0; background: $s-bg; color: $s-text; }
    PaletteScreen #query:focus { border: none; }
    PaletteScreen #found { margin: 1 2 1 3; height: 1fr; }
    PaletteScreen Lines { height: 100%; }
    PaletteScreen.-low #line { margin: 0 1 0 1; }
    PaletteScreen.-low #found { margin: 0 1 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "run", "do it", id="palette.run", tooltip="Do what is chosen", priority=True),
        Binding("down", "move(1)", "choose", key_display="↑ ↓", id="palette.down", tooltip="The next one"),
        Binding("up", "move(-1)", "", show=False, id="palette.up", tooltip="The one before"),
        Binding("pagedown", f"move({PAGE})", "", show=False, id="palette.page", tooltip="A page on"),
        Binding("pageup", f"move(-{PAGE})", "", show=False, id="palette.pageback", tooltip="A page back"),
        Binding("escape", "back", "back", id="palette.back", tooltip="Back"),
        Binding("f1", "help", "help", id="help", tooltip="What this screen can do"),
    ]

    def __init__(self, behind: StudyScreen) -> None:
        super().__init__()
        self.behind = behind
        self.every: list[Entry] = []
        self.cards: list[Entry] = []
        self.found: Sequence[Entry] = ()
        self.at = 0
        self._top = 0
        self._finder: CardFinder | None = None

    def compose(self) -> ComposeResult:
        """Lay out the line and the list."""
        yield self.top
        with Horizontal(id="line"):
            yield Static(Content.styled("›", "bold $s-sky"), id="mark", markup=False)
            yield Input(placeholder="a command, a place, a theme, a section, an experiment, a card", id="query",
                        max_length=120)  # fmt: skip
        with Vertical(id="found"):
            yield Lines(id="list")
        yield self.keys

    def begin(self) -> None:
        """Gather everything that needs no search."""
        self.top.show(
            f"palette › {self.behind.PLACE or type(self.behind).__name__.removesuffix('Screen').lower()}"
        )
        self.query_one("#query", Input).focus()
        self.every = entries(self.behind)
        self._rank()
        if self.desk is not None:
            self._find_cards("")

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        super().on_resize(event)
        self.set_class(event.size.height < 14 or event.size.width < 40, "-low")
        self.call_after_refresh(self.paint)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.cards = []
        self._rank()
        if self.desk is not None and event.value.strip():
            self._find_cards(event.value)

    def _rank(self) -> None:
        self.found = ranked(self.query_one("#query", Input).value, [*self.every, *self.cards])
        self.at = self._top = 0
        self.paint()

    @work(exclusive=True, group="palette", exit_on_error=False)
    async def _find_cards(self, words: str) -> None:
        """Search the cards once typing pauses; without words, make ready for it."""
        from studyapp.study.finding import CardFinder

        assert self.desk is not None
        await asyncio.sleep(PAUSE_S)
        try:
            if self._finder is None:
                self._finder = await asyncio.to_thread(CardFinder, self.desk)
            cards = await asyncio.to_thread(self._finder.find, words, MOST_CARDS) if words else []
        except StudyError:
            return  # what else was found stands
        if cards:
            self.cards = of_cards(cards)
            chosen = self.found[self.at] if self.found else None
            self.found = ranked(self.query_one("#query", Input).value, [*self.every, *self.cards])
            self.at = next((k for k, entry in enumerate(self.found) if entry == chosen), 0)
            self.paint()

    def paint(self) -> None:
        """Repaint the rows around the cursor."""
        lines = self.query_one(Lines)
        width, height = min(WIDEST, max(16, lines.size.width or 75)), max(1, lines.size.height or 16)
        self._top = max(0, min(self._top, self.at))
        if self.at >= self._top + height:
            self._top = self.at - height + 1
        shown = self.found[self._top : self._top + height]
        rows = [row(entry, width, here=self._top + k == self.at) for k, entry in enumerate(shown)]
        if not rows:
            rows = [Content.styled("Nothing is called that. Fewer letters find more.", "$s-muted")]
        lines.show(rows)
        self.show_keys()

    def action_move(self, step: int) -> None:
        """Choose another entry."""
        self.at = max(0, min(len(self.found) - 1, self.at + step))
        self.paint()

    def steps_to(self, row: int) -> int | None:
        """Return how far the entry of a row is."""
        return self._top + row - self.at if self._top + row < len(self.found) else None

    def action_run(self) -> None:
        """Do what is chosen, from the screen that the palette was opened on."""
        if self.found:
            chosen = self.found[self.at]
            self.dismiss()
            self.app.call_later(chosen.run, self.behind)
