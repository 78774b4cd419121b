"""Help: what the screen behind is for, and every key it has."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.tui.commands import Command, commands_of
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.scrolled import ScrolledScreen
from studyapp.tui.widgets.prose import prose

KEY_ROOM = 16


def _row(command: Command, *, bright: bool) -> Content:
    """Return a command's keys and words; muted while it would do nothing."""
    keys = "  ".join(command.shown)
    styles = ("bold $s-bright", "$s-text") if bright else ("$s-muted", "$s-muted")
    return Content.assemble((f"{keys:>{KEY_ROOM}}", styles[0]), (f"   {command.words}", styles[1]))


class HelpScreen(ScrolledScreen):
    """Built from the screen it explains."""

    PLACE = "help"
    DEFAULT_CSS = """
    HelpScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="help.down", tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="help.up", tooltip="A line up"),
        Binding("pagedown,space,ctrl+d", "page(1)", "", show=False, id="help.page", tooltip="A page down"),
        Binding("pageup,ctrl+u", "page(-1)", "", show=False, id="help.pageback", tooltip="A page up"),
        Binding("home,g", "edge(0)", "", show=False, id="help.top", tooltip="To the top"),
        Binding("end,G", "edge(1)", "", show=False, id="help.end", tooltip="To the end"),
        Binding("q,escape,question_mark", "back", "back", id="back", key_display="q", tooltip="Back"),
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
        width = max(20, min(76, (self.size.width or 80) - 8))
        lines = [*prose(self.about.help_text(), width), Content("")]
        lines += [_row(command, bright=now) for command, now in self.about.every_command()]
        lines += [Content(""), Content.styled(f"{'everywhere':>{KEY_ROOM}}", "$s-muted")]
        lines += [_row(command, bright=True) for command in commands_of(type(self.study), self.own_keys, "")]
        lines += [Content(""), Content.styled("Everything you answer is stored before the next card.", "$s-muted")]
        self.query_one("#help", Static).update(Content("\n").join(lines))
