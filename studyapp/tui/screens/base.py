"""What every screen has: the first row, the last row, help, and the way back."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual._context import active_app
from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.screen import Screen

from studyapp.core.prompt import progress_now, streak_now
from studyapp.tui.commands import Command, bindings_of, commands_of, filled, keys_of, laid_over, named, remapped
from studyapp.tui.direct import Direct
from studyapp.tui.widgets.bars import KeyBar, TopBar, shown_keys
from studyapp.tui.widgets.lines import Rows

if TYPE_CHECKING:
    from studyapp.study.desk import Desk
    from studyapp.tui.app import StudyApp
    from studyapp.tui.widgets.hint import Hint


class StudyScreen(Screen[Any]):
    """A screen with a place, keys and a help text. Key presses from before the last draw can be told apart."""

    PLACE: ClassVar[str] = ""
    HELP: ClassVar[str] = ""
    """What this screen is for, as Markdown, shown by `?` above its keys; `{help}` becomes that command's key."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", id="help", tooltip="What this screen can do"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.own_keys: Mapping[str, str] = getattr(getattr(active_app.get(None), "settings", None), "keys", {})
        """The learner's own keys by command."""
        self._bindings = remapped(self._bindings, self.own_keys)
        self._here: list[Binding] | None = None
        self.top = TopBar()
        self.keys = KeyBar()
        self._styled = False
        self._direct = Direct()
        self._pressed_at = 0.0
        self._drawn_at = 0.0
        self._under_way: tuple[int, float] | None = None
        """The question behind what was drawn last, and when that was sent; None once it has arrived."""
        self.hint: Hint | None = None
        """What tells of the place where the mouse rests, once it rested somewhere."""

    @property
    def study(self) -> StudyApp:
        """The app, with its own type."""
        return self.app  # type: ignore[return-value]

    @property
    def desk(self) -> Desk | None:
        """The open desk, or None while it opens."""
        return self.study.desk

    @property
    def was_left(self) -> bool:
        """Whether the learner has left this screen or the program, which work for it may find at its end."""
        return self not in self.app.screen_stack or not self.app.is_running

    def on_mount(self) -> None:
        """Fill the two fixed rows from what is known already."""
        self.top.show(self.PLACE)
        self.show_progress()
        for widget in self.walk_children():
            if hasattr(widget, "cursor_blink"):
                widget.cursor_blink = False  # an idle screen writes nothing
        self.begin()
        self.show_keys()

    def on_screen_resume(self) -> None:
        """Something may have been answered. Textual calls this of every class, as it does `on_mount`."""
        self.show_progress()

    @on(events.ScreenResume)
    def _keep_styles(self, event: events.ScreenResume) -> None:
        """A new screen was given its styles a moment ago: once more costs 2 ms before its first paint."""
        event.refresh_styles, self._styled = event.refresh_styles and self._styled, True

    def progress(self) -> tuple[int, int, int] | None:
        """Return answers given, answers in all and the streak, where this screen counts on its own."""
        return None

    def show_progress(self) -> None:
        """Show in the first row how far the day is, or the sitting that this screen was opened from."""
        for screen in reversed(self.app.screen_stack):
            if isinstance(screen, StudyScreen) and (found := screen.progress()) is not None:
                done, total, streak = found
                break
        else:
            clock = self.study.settings.clock if self.desk is None else self.desk.clock
            status, at_ms = self.study.status, clock().at_ms
            done, total = progress_now(status, at_ms)
            streak = streak_now(status, at_ms, answered=False)
        self.top.show(done=done, total=total, streak=streak)

    def begin(self) -> None:
        """Start the screen. Textual calls every class's `on_mount`, so subclasses override this instead."""

    def bindings_here(self) -> list[Binding]:
        """Return this screen's bindings with the keys in force, its own first, help last."""
        if self._here is None:
            self._here = [laid_over(binding, self.own_keys) for binding in bindings_of(type(self))]
        return self._here

    def commands_here(self) -> list[Command]:
        """Return what can be pressed here and now, for the palette."""
        return [command for command, now in self.every_command() if now]

    def every_command(self) -> list[tuple[Command, bool]]:
        """Return every command of the screen, and whether it does something now."""
        offered = {binding.id for binding in self.bindings_here() if self.offers(binding)}
        commands = commands_of(type(self), self.own_keys, self.PLACE)
        return [(command, command.id in offered) for command in commands]

    def help_text(self) -> str:
        """Return what the screen is for, with the keys in force."""
        return self.with_keys(self.HELP)

    def with_keys(self, text: str) -> str:
        """Return a text with the keys in force, each instead of its command's id in braces."""
        return filled(text, commands_of(type(self), self.own_keys, self.PLACE))

    def key_of(self, name: str) -> str:
        """Return the key in force of a command of this screen, as a person reads it."""
        return next((named(keys_of(b.key)[0]) for b in self.bindings_here() if b.id == name), "")

    def show_keys(self) -> None:
        """Repaint the last row with the keys that do something now."""
        before = self.keys.keys
        allowed = [b for b in self.bindings_here() if b.show and b.description and self.offers(b)]
        self.keys.show([(key, self.words_for(key, words)) for key, words in shown_keys(allowed)])
        if self.hint is not None and self.keys.keys != before:
            self.hint.go()

    def offers(self, binding: Binding) -> bool:
        """Return whether a binding does something now."""
        _, action, parameters = parse(binding.action)
        return bool(self.check_action(action, parameters))

    def words_for(self, key: str, words: str) -> str:
        """Return what a key is called in the last row at this moment."""
        return words

    def on_resize(self, event: events.Resize) -> None:
        """In a tiny window, do without scrollbars: they would appear and go for ever."""
        self.set_class(event.size.width < 12 or event.size.height < 6, "-tiny")
        if self.hint is not None:
            self.hint.go()

    def on_key(self, event: events.Key) -> None:
        """Remember when the key was pressed: what was pressed before the draw must not grade."""
        self._pressed_at = event.time

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell what a command does where the mouse rests on its words."""
        from studyapp.tui.widgets.hint import Hint, told_at

        told = told_at(self, int(event.screen_x), int(event.screen_y))
        if self.hint is None and told is not None:
            self.hint = Hint()
            self.mount(self.hint)
        if self.hint is not None:
            self.hint.point(told)

    def click_at(self, row: int) -> tuple[str, str] | None:
        """Return how often to click on a row of the list, and what that does; None where it does nothing."""
        return None

    def paint_now(self, *blocks: Rows) -> None:
        """Paint what a key changed in these blocks, the first row and the last row, in the turn of that key.

        Left to themselves the blocks report to the screen one by one, and it waits for its timer: up to 17 ms,
        and the last row comes in a frame of its own.
        """
        if not self.is_current or self._layout_required or self.app._batch_count:
            return  # Textual will
        changed = [block for block in (self.top, self.keys, *blocks) if block._repaint_required]
        for block in changed:
            block._repaint_required = False
            self._dirty_widgets.add(block)
        alone = len(changed) == len(self._dirty_widgets)
        if self._dirty_widgets and not (alone and self._paint_straight(changed)):
            self._on_timer_update()

    def _paint_straight(self, changed: list[Rows]) -> bool:
        """Paint rows if they are all that there is to paint; return whether that is done."""
        compositor = self._compositor
        more = self._scroll_required or self._repaint_required or self._recompose_required
        if more or compositor._dirty_regions:
            return False
        update = self._direct.update(compositor.visible_widgets, compositor.size, changed)
        if update is None:
            return False
        self._update_timer.pause()
        self._dirty_widgets.clear()
        self.app._display(self, update)
        self.app._update_mouse_over(self)
        if self._callbacks:
            self.call_next(self._invoke_and_clear_callbacks)
        return True

    def drawn(self) -> None:
        """Note, after the next paint, that what is on screen now was seen."""
        self._drawn_at = float("inf")
        self._under_way = None
        self.study.pace.arrival.want()
        self.call_after_refresh(self._note_drawn)

    def _note_drawn(self) -> None:
        # sent, and the clock that stamps Textual's events; on a slow line it is not there yet
        self._under_way = (self.study.pace.arrival.place, time.monotonic())
        self._note_arrival()

    def _note_arrival(self) -> None:
        if self._under_way is not None:
            arrived_at_s = self.study.pace.arrival.arrived_at_s(*self._under_way)
            if arrived_at_s is not None:
                self._drawn_at, self._under_way = arrived_at_s, None

    @property
    def seen(self) -> bool:
        """Whether what the screen shows now has been painted, so that keys can answer it."""
        self._note_arrival()
        return math.isfinite(self._drawn_at)

    @property
    def stale_key(self) -> bool:
        """Whether the key being handled was pressed before the present content was painted."""
        self._note_arrival()
        return self._pressed_at < self._drawn_at

    def went_away(self) -> None:
        """The program is about to be stopped (ctrl+z): what stops when another screen is in front stops now."""
        if callable(handler := getattr(self, "on_screen_suspend", None)):
            handler()

    def came_back(self) -> None:
        """The program goes on (fg)."""
        if callable(handler := getattr(self, "on_screen_resume", None)):
            handler()

    def action_help(self) -> None:
        """Open the help of this screen."""
        from studyapp.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self))

    def action_back(self) -> None:
        """Go back to the screen before, or leave when there is none."""
        if len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            from studyapp.tui.screens.home import HomeScreen

            self.app.switch_screen(HomeScreen())
