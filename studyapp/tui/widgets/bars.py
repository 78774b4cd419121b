"""The first row (place, progress, streak) and the last row (keys). They never move."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content

from studyapp.tui.commands import NAMES, keys_of, named
from studyapp.tui.widgets.lines import Rows


def clean_place(text: str) -> str:
    """Return outside text fit for one line: control characters visible, white space folded."""
    from studyapp.decks.clean import clean

    return " ".join(clean(text).split())


def trail(*names: str) -> str:
    """Return where one is, from the outside in; a place named like the one around it is said once."""
    shown = [clean_place(name) for name in names]
    return " › ".join(name for at, name in enumerate(shown) if name and name not in shown[:at])


def shortened(text: Content, width: int, rows: int) -> list[Content]:
    """Return a text in so many rows at most, cut between two words."""
    lines = [line.rstrip() for line in text.wrap(width)]
    if len(lines) <= rows:
        return lines
    last = lines[rows - 1]
    while last.cell_length + 2 > width and " " in last.plain:
        last = last[: last.plain.rindex(" ")].rstrip()
    blank = " " if last.cell_length + 2 <= width else ""  # a single word is cut where it must be
    last = last.truncate(max(0, width - 1 - len(blank)))
    return [*lines[: rows - 1], Content.assemble(last, (f"{blank}…", "$s-muted"))]


class TopBar(Rows):
    """Row 1: the program's name, where you are, how far you are, the streak."""

    def __init__(self) -> None:
        super().__init__()
        self.place = ""
        self.done = 0
        self.total = 0
        self.streak: int | None = None
        self._shown: tuple[str, int, int, int | None] | None = None

    def show(
        self,
        place: str | None = None,
        *,
        done: int | None = None,
        total: int | None = None,
        streak: int | None = None,
    ) -> None:
        """Change what is given and repaint."""
        self.place = self.place if place is None else place
        self.done = self.done if done is None else done
        self.total = self.total if total is None else total
        self.streak = self.streak if streak is None else streak
        shown = (self.place, self.done, self.total, self.streak)
        if shown != self._shown:
            self._shown = shown
            self.changed([0])

    def content_at(self, y: int) -> Content:
        """Return the row."""
        return self.render()

    def render(self) -> Content:
        """Return the row for the current width; parts go away from the right as it narrows."""
        width = self.size.width or 80
        right = self._right(width)
        room = width - 1 - len("studyapp") - 2 - right.cell_length - 1
        place = Content(self.place)
        if place.cell_length > room:
            place = place.truncate(max(0, room), ellipsis=True)
        left = Content.assemble(" ", ("studyapp", "bold $s-sky"), "  ", place.stylize("$s-muted"))
        gap = max(1, width - left.cell_length - right.cell_length)
        return Content.assemble(left, " " * gap, right)

    def _right(self, width: int) -> Content:
        parts: list[Content | str | tuple[str, str]] = []
        if self.total and width >= 40:
            bar = 14 if width >= 70 else 6
            filled = round(bar * min(1.0, self.done / self.total))
            parts += [("━" * filled, "$s-sky"), ("─" * (bar - filled), "$s-track")]
            parts += [(f" {self.done:>2}/{self.total}", "$s-text")]
        if self.streak and width >= 40:
            days = "" if width < 50 else " day" if self.streak == 1 else " days"
            parts += ["   ", ("▲", "$s-cpu"), (f" {self.streak}{days}", "$s-text")]
        return Content.assemble(*parts, " ")


SIGNS = {sign: key for key, sign in NAMES.items()}
"""Keys by the signs that stand for them."""


class KeyBar(Rows):
    """The last row: the keys of this screen, most important first; what does not fit is in `?`."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[tuple[str, str]] = []

    def show(self, keys: Iterable[tuple[str, str]]) -> None:
        """Show (key, words) pairs; `?` always stays."""
        shown = [pair for pair in keys if pair[1]]
        if shown != self.keys:  # drawing them takes half a millisecond
            self.keys = shown
            self.changed([0])

    def content_at(self, y: int) -> Content:
        """Return the row."""
        return self.render()

    def on_click(self, event: events.Click) -> None:
        """Do what a key does when its words are clicked."""
        if key := self.key_at(event.x):
            self.app.simulate_key(key)

    def key_at(self, column: int) -> str:
        """Return the key whose words stand at a column, as Textual names it; "" where none does."""
        start, label = self._label_at(column)
        return self._key_of(label, column - start - 1) if label else ""

    def keys_at(self, column: int) -> tuple[int, list[str]]:
        """Return where the words at a column begin, and every key that they name."""
        start, label = self._label_at(column)
        if "–" in label:
            first, last = label.split("–")
            return start, [str(digit) for digit in range(int(first), int(last) + 1)]
        places = range(len(label)) if " " in label else range(1 if label else 0)
        return start, [key for at in places if (key := self._key_of(label, at))]

    def _label_at(self, column: int) -> tuple[int, str]:
        start = 0
        for label, words in self._fitting():
            end = start + _room((label, words))
            if start <= column < end:
                return start, label
            start = end
        return start, ""

    def _key_of(self, label: str, at: int) -> str:
        """Return the key of a label; of one that names several the one under the mouse."""
        if " " in label or "–" in label:
            sign = label[at] if 0 <= at < len(label) else ""
            return SIGNS.get(sign, sign if sign.isdigit() else "")
        bindings: Iterable[Binding] = getattr(self.screen, "bindings_here", list)()
        for binding in bindings:
            first = binding.key.split(",")[0]
            if label in (binding.key_display, named(first)):
                return keys_of(first)[0]
        return SIGNS.get(label, label)

    def _fitting(self) -> list[tuple[str, str]]:
        """Return the keys that have room, `? help` among them."""
        width = self.size.width or 80
        shown: list[tuple[str, str]] = []
        must = [pair for pair in self.keys if pair[0] in ("?", "q")]
        used = sum(_room(pair) for pair in must)
        for pair in self.keys:
            if pair in must:
                shown.append(pair)
            elif used + _room(pair) <= width:
                used += _room(pair)
                shown.append(pair)
        return shown

    def render(self) -> Content:
        """Return as many keys as fit, `? help` among them."""
        width = self.size.width or 80
        parts: list[tuple[str, str]] = []
        for key, words in self._fitting():
            parts += [(f" {key} ", "bold $s-bright"), (f"{words}  ", "$s-muted")]
        return Content.assemble(*parts).truncate(max(1, width), ellipsis=False)


def _room(pair: tuple[str, str]) -> int:
    return cell_len(pair[0]) + cell_len(pair[1]) + 4


def shown_keys(bindings: Iterable[Binding]) -> list[tuple[str, str]]:
    """Return (key, words) for the bindings that the last row shows."""
    return [
        (b.key_display or named(b.key.split(",")[0]), b.description) for b in bindings if b.show and b.description
    ]
