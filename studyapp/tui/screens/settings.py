"""Settings: every one with its value, its default and where it comes from; a change is kept and holds at once."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from studyapp.core.errors import StudyError
from studyapp.decks.clean import clean_line
from studyapp.study.setting_list import Setting, every_setting
from studyapp.tui.applying import NEXT_START
from studyapp.tui.screens.listing import ListScreen
from studyapp.tui.screens.settings_parts import about, called, choices, ending, fixed_by, grouped, row, stepped
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.lines import Lines

PAGE = 8
WIDEST = 96
"""Cells of a row: beyond, its end is too far from its beginning."""


class SettingsScreen(ListScreen):
    """Grouped rows with a cursor."""

    PLACE = "settings"
    OPENS = "type"
    HELP = (
        "**{settings.less} {settings.more}** change the setting under the cursor; what you choose is written into "
        "the settings file and holds at once. **{settings.type}** types a value, **{settings.reset}** takes the "
        "setting out of the file, so that its default holds, **{settings.open}** opens the file in your editor. "
        "A value from an environment variable or a flag holds over the file, so it can only be changed there."
    )
    DEFAULT_CSS = """
    SettingsScreen #rows { margin: 1 2 0 3; height: 1fr; }
    SettingsScreen Lines { height: 100%; }
    SettingsScreen #about { margin: 1 2 1 3; height: 3; }
    SettingsScreen #value { display: none; margin: 0 2 0 3; height: 1; border: none; padding: 0 1;
        background: $s-panel; color: $s-text; }
    SettingsScreen #value:focus { border: none; }
    SettingsScreen.-typing #value { display: block; }
    SettingsScreen.-low #rows { margin: 0 1 0 1; }
    SettingsScreen.-low #about { margin: 0 1 0 1; height: 2; }
    SettingsScreen.-flat #about { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "choose", key_display="↑ ↓", id="settings.down", tooltip="The next setting"),
        Binding("up,k", "move(-1)", "", show=False, id="settings.up", tooltip="The setting before"),
        Binding("left,h", "step(-1)", "change", key_display="← →", id="settings.less", tooltip="The value before"),
        Binding("right,l", "step(1)", "", show=False, id="settings.more", tooltip="The next value"),
        Binding("enter", "type", "type", id="settings.type", tooltip="Type a value"),
        Binding("r", "reset", "reset", id="settings.reset", tooltip="Back to the default"),
        Binding("o", "open", "open file", id="settings.open", tooltip="The settings file in your editor"),
        Binding("pagedown,ctrl+d", f"move({PAGE})", "", show=False, id="settings.page", tooltip="A page on"),
        Binding("pageup,ctrl+u", f"move(-{PAGE})", "", show=False, id="settings.pageback", tooltip="A page back"),
        Binding("home,g", "move(-1000)", "", show=False, id="settings.top", tooltip="The first setting"),
        Binding("end,G", "move(1000)", "", show=False, id="settings.end", tooltip="The last setting"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.groups: dict[str, list[Setting]] = {}
        self.at = 0
        self.note = Content("")
        """What became of the last change."""
        self.holds = ""
        """What is in the store, in words, once that was counted."""
        self._top = 0
        self._numbers: dict[int, int] = {}
        """The setting of each row that has one."""

    def compose(self) -> ComposeResult:
        """Lay out the rows, what is known of the chosen one, and the line to type on."""
        yield self.top
        with Vertical(id="rows"):
            yield Lines(id="list")
        yield Static("", id="about", markup=False)
        yield Input(id="value", max_length=1000)
        yield self.keys

    def begin(self) -> None:
        """Gather every setting."""
        self.query_one("#value", Input).can_focus = False
        self._gather()
        if self.desk is not None:
            self._count()

    @work(exclusive=True, group="count", exit_on_error=False)
    async def _count(self) -> None:
        """Count what is in the store."""
        assert self.desk is not None
        store = self.desk.store
        cards, _ = await asyncio.to_thread(store.card_counts)
        answers = sum((await asyncio.to_thread(store.active_days)).values())
        self.holds = f"{cards:,} card{'' if cards == 1 else 's'}   {answers:,} answer{'' if answers == 1 else 's'}"
        self.paint()

    def _gather(self) -> None:
        self.groups = grouped(every_setting(self.study.settings))

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        super().on_resize(event)
        self.set_class(event.size.height < 18, "-low")
        self.set_class(event.size.height < 10, "-flat")
        self.call_after_refresh(self.paint)

    @property
    def all(self) -> list[Setting]:
        """Every setting in the order of the rows."""
        return [setting for rows in self.groups.values() for setting in rows]

    @property
    def chosen(self) -> Setting:
        """The setting under the cursor."""
        return self.all[self.at]

    def paint(self) -> None:
        """Repaint the rows around the cursor, and what is known of the chosen one."""
        if not self.groups:
            return
        lines = self.query_one(Lines)
        width, height = min(WIDEST, max(20, lines.size.width or 75)), max(1, lines.size.height or 16)
        rows, cursor = self._rows(width)
        self._top = max(0, min(self._top, cursor - (1 if cursor else 0)))
        if cursor >= self._top + height:
            self._top = cursor - height + 1
        lines.show(rows[self._top : self._top + height])
        known = about(self.chosen, width, self.chosen.name in NEXT_START, self._holds(self.chosen))
        if self.note.plain:
            known = [*known[:-1], self.note]
        self.query_one("#about", Static).update(Content("\n").join(known))
        self.show_keys()

    def _holds(self, setting: Setting) -> str:
        """Return what the file named by a setting holds."""
        return self.holds if setting.name == "db" else ""

    def _rows(self, width: int) -> tuple[list[Content], int]:
        rows: list[Content] = []
        cursor, number = 0, 0
        self._numbers.clear()
        for title, settings in self.groups.items():
            rows += [*([Content("")] if rows else []), Content.styled(title.upper(), "bold $s-muted")]
            for setting in settings:
                self._numbers[len(rows)] = number
                if number == self.at:
                    cursor = len(rows)
                rows.append(row(setting, width, here=number == self.at, holds=self._holds(setting)))
                number += 1
        return rows, cursor

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be changed here is offered."""
        if self.has_class("-typing"):
            return action == "back"
        if action in ("step", "type", "reset") and self.groups:
            return not fixed_by(self.chosen) and (action != "step" or bool(choices(self.chosen)))
        return True

    def action_move(self, step: int) -> None:
        """Choose another setting."""
        self.at = max(0, min(len(self.all) - 1, self.at + step))
        self.note = Content("")
        self.paint()

    def steps_to(self, row: int) -> int | None:
        """Return how far the setting of a row is."""
        number = self._numbers.get(self._top + row)
        return None if number is None or self.has_class("-typing") else number - self.at

    def action_step(self, step: int) -> None:
        """Change the chosen setting by one step."""
        value = stepped(self.chosen, step)
        if value is not None:
            self._change(self.chosen.name, value)

    def action_reset(self) -> None:
        """Take the chosen setting out of the file."""
        self._change(self.chosen.name, None)

    def action_type(self) -> None:
        """Type a value for the chosen setting."""
        line = self.query_one("#value", Input)
        line.can_focus = True
        line.placeholder = f"{called(self.chosen.name)}: {self.chosen.takes or 'any text'}"
        line.value = clean_line(self.chosen.value)
        self.add_class("-typing")
        line.focus()
        self.show_keys()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave_the_line()
        self._change(self.chosen.name, event.value.strip())

    def show_keys(self) -> None:
        """In the line that is typed on only two keys are no letters."""
        if self.has_class("-typing"):
            self.keys.show([("enter", "keep it"), ("esc", "back")])
        else:
            super().show_keys()

    def _leave_the_line(self) -> None:
        line = self.query_one("#value", Input)
        self.remove_class("-typing")
        line.can_focus = False
        self.set_focus(None)
        self.show_keys()

    @work(group="settings", exit_on_error=False)
    async def _change(self, name: str, value: str | None) -> None:
        """Write one setting, then let the running program go by it."""
        from studyapp.study.configuring import set_setting, unset_setting

        config = self.study.settings.config
        try:
            if value is None:
                await asyncio.to_thread(unset_setting, config, name)
            else:
                await asyncio.to_thread(set_setting, config, name, value)
            self.study.take_up_settings()
        except StudyError as error:
            self.note = Content.styled(clean_place(f"Not kept. {error.message} {error.hint}"), "$s-again")
        else:
            self.note = self._saved(name, taken_out=value is None)
        self._gather()
        self.paint()

    def _saved(self, name: str, *, taken_out: bool) -> Content:
        """Return that a change was written, and into which file."""
        said = f"{called(name)} taken out of" if taken_out else f"{called(name)} saved in"
        width = max(20, (self.query_one("#about").size.width or 75) - cell_len(said) - 3)
        place = ending(clean_place(str(self.study.settings.config)), width)
        return Content.assemble(("✓ ", "bold $s-good"), (f"{said} ", "$s-text"), (place, "$s-bright"))

    def action_open(self) -> None:
        """Open the settings file in the learner's editor, then read it again."""
        from studyapp.study.editing import editor_command, run_editor

        settings = self.study.settings
        try:
            command = editor_command(settings.editor)
            settings.config.parent.mkdir(parents=True, exist_ok=True)
            with self.app.suspend():
                run_editor(command, settings.config, 1)
            self.study.take_up_settings()
        except SuspendNotSupported:
            self.note = Content.styled("An editor cannot be opened on this terminal.", "$s-again")
        except (StudyError, OSError) as error:
            self.note = Content.styled(clean_place(str(error)), "$s-again")
        self._gather()
        self.paint()

    def action_back(self) -> None:
        """Leave the line that is typed on, else the screen."""
        if self.has_class("-typing"):
            self._leave_the_line()
        else:
            super().action_back()
