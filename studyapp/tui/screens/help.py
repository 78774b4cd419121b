"""Help: what the screen behind is for, and every key it has."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import KEY_NAMES
from studyapp.tui.widgets.prose import prose


class HelpScreen(StudyScreen):
    """Built from the screen it explains."""

    PLACE = "help"
    DEFAULT_CSS = """
    HelpScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="help.down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="help.up"),
        Binding("q,escape,question_mark", "back", "back", id="back", key_display="q"),
    ]

    def __init__(self, about: StudyScreen) -> None:
        super().__init__()
        self.about = about

    def compose(self) -> ComposeResult:
        """Lay out the help."""
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static("", id="help", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Write the help for the current width."""
        self.top.show(f"help › {type(self.about).__name__.removesuffix('Screen').lower()}")

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again."""
        width = max(20, min(76, (self.size.width or 80) - 6))
        lines = prose(self.about.HELP, width)
        lines.append(Content(""))
        for binding in self.about.bindings_here():
            words = binding.tooltip or binding.description
            key = binding.key_display or KEY_NAMES.get(binding.key, binding.key.replace(",", " or "))
            if binding.key in ("2", "3", "4"):
                key = binding.key
            if words:
                lines.append(Content.assemble((f"{key:>12}", "bold $s-bright"), (f"   {words}", "$s-text")))
        lines += [Content(""), Content.styled("Everything you answer is stored before the next card.", "$s-muted")]
        self.query_one("#help", Static).update(Content("\n").join(lines))

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        scroll = self.query_one(VerticalScroll)
        (scroll.scroll_down if step > 0 else scroll.scroll_up)(animate=False)
