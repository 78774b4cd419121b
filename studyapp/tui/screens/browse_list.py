"""The list of Browse: only rows on the screen are read and drawn, so a hundred thousand cards scroll like ten."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual import events
from textual.content import Content
from textual.widgets import Static

from studyapp.core.days import instant_of, study_day
from studyapp.tui.screens import browse_parts as parts
from studyapp.tui.screens.listing import ListScreen
from studyapp.tui.widgets.bars import clean_place, shortened
from studyapp.tui.widgets.lines import Lines
from studyapp.tui.widgets.prose import prose

if TYPE_CHECKING:
    from studyapp.core.reviews import ReviewRow
    from studyapp.store.records import StoredPrediction, StoredRun
    from studyapp.study.browsing import Browsing, Found

LastTrial: TypeAlias = "tuple[StoredRun, StoredPrediction | None] | None"
Known: TypeAlias = "tuple[list[ReviewRow], LastTrial]"
"""A card's answers, and what became of its experiment last."""
PREVIEW_ROWS = 9
"""Rows of the preview in a window of 24."""
TALL_ROWS = 16
"""And in one of 34 or more."""


class BrowseList(ListScreen):
    """A cursor over what was found, marks on several, a preview of the one under the cursor."""

    PLACE = "browse"
    DEFAULT_CSS: ClassVar[str] = """
    BrowseList #search { height: 1; margin: 1 2 0 3; }
    BrowseList #slash { width: 2; }
    BrowseList #query, BrowseList #query:focus {
        width: 1fr; border: none; height: 1; padding: 0; background: $s-bg; color: $s-bright;
    }
    BrowseList #count { width: auto; padding: 0 0 0 2; }
    BrowseList #said { height: 1; margin: 0 2 0 5; }
    BrowseList #list { height: 1fr; margin: 0 2 0 1; min-height: 2; }
    BrowseList #preview { height: 9; margin: 0 2 0 3; }
    BrowseList.-tall #preview { height: 16; }
    BrowseList.-low #preview { height: 4; }
    BrowseList.-low #search { margin: 0 2 0 3; }
    BrowseList.-flat #preview { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.browsing: Browsing | None = None
        self.list = Lines(id="list")
        self.preview = Lines(id="preview")
        self.titles: dict[str, str] = {}
        self.cache: dict[str, Found] = {}
        self.known: dict[str, Known] = {}
        self.at = 0
        """Where the cursor is among what was found."""
        self.first = 0
        """The first row on the screen."""
        self.marked: dict[str, None] = {}
        """Ids of the marked cards, in the order they were marked."""
        self.range_from: int | None = None
        """Where a range began."""

    @property
    def count(self) -> int:
        """How many cards were found."""
        return 0 if self.browsing is None else len(self.browsing.places)

    @property
    def here(self) -> Found | None:
        """The card under the cursor."""
        if self.browsing is None or not 0 <= self.at < self.count:
            return None
        found = self.fetch(self.at, 1)
        return found[0] if found else None

    def fetch(self, first: int, count: int) -> list[Found]:
        """Return some of what was found, reading only what is not known yet."""
        assert self.browsing is not None
        ids = self.browsing.ids(self.browsing.places[first : first + count])
        lacking = [card for card in ids if card not in self.cache]
        if lacking:
            if len(self.cache) > 2000:
                self.cache.clear()
                lacking = ids
            self.cache |= {found.card.id: found for found in self.browsing.found(lacking)}
        return [self.cache[card] for card in ids if card in self.cache]

    def chosen(self) -> list[str]:
        """Return the cards that an action is for: the marked ones, else the one under the cursor."""
        self._keep_range()
        if self.marked:
            return list(self.marked)
        return [self.here.card.id] if self.here is not None else []

    @property
    def room(self) -> int:
        """Rows for cards."""
        return max(1, (self.list.size.height or 10) - 1)

    def know(self, found: Found) -> Known:
        """Read what the preview shows of a card besides the card itself."""
        from studyapp.study.browsing import last_trial

        assert self.browsing is not None
        assert self.desk is not None
        return self.browsing.history(found.card.id), last_trial(self.desk, found.card)

    # drawing

    def on_resize(self, event: events.Resize) -> None:
        """Choose how much room the preview has, and draw again."""
        self.set_class(event.size.height >= 34, "-tall")
        self.set_class(event.size.height < 22, "-low")
        self.set_class(event.size.height < 14, "-flat")
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        """Draw the rows on the screen, the preview and the counts."""
        if self.browsing is None or self.desk is None or not self.is_mounted or self.was_left:
            return
        self.at = max(0, min(self.count - 1, self.at))
        room = self.room
        self.first = max(0, min(self.first, self.at, max(0, self.count - room)), self.at - room + 1)
        width = max(30, self.list.size.width or 77)
        columns = parts.Columns.of(width)
        today = self.desk.clock().study_day
        lines = [parts.heading(columns)]
        for offset, found in enumerate(self.fetch(self.first, room)):
            place = self.first + offset
            marked = found.card.id in self.marked or self._in_range(place)
            title = self.titles.get(found.card.module, found.card.module)
            lines.append(parts.row(found, title, today, columns, here=place == self.at, marked=marked))
        if not self.count:
            lines.append(Content.styled("    No card fits this query.", "$s-muted"))
        self.list.show(lines)
        self._paint_counts()
        self._paint_preview(today)
        self.show_keys()

    def _paint_counts(self) -> None:
        assert self.browsing is not None
        total, marked, asked = len(self.browsing.shelf.ids), self._how_many_marked(), self.browsing.asked
        order = f"{asked.sort}{' ↓' if asked.descending else ''}"
        some = f"{marked} marked   " if marked else ""
        text = Content.assemble((some, "bold $s-you"), (f"{self.count} of {total}   by {order}", "$s-muted"))
        self.query_one("#count", Static).update(text)

    def _paint_preview(self, today: int) -> None:
        found, width = self.here, max(20, self.preview.size.width or 74)
        height = self.preview.size.height or PREVIEW_ROWS
        if found is None or self.browsing is None or self.desk is None:
            self.preview.show([])
            return
        ascii_only, policy = self.study.settings.ascii, self.desk.options.policy
        if found.card.id not in self.known:
            self.known = {found.card.id: self.know(found)}
        answers, last = self.known[found.card.id]
        tail = [parts.history(answers, width, ascii_only)]
        graph = 5 if height >= TALL_ROWS else 3 if height >= 9 else 1
        tail += parts.forgetting(found.card.memory, today, policy, width, graph, ascii_only)
        trial = parts.trial_line(found, self._last_trial(last, today))
        tags = [*found.card.tags, *found.marked.tags]
        head = [Content.styled("─" * width, "$s-track")]
        if height < PREVIEW_ROWS:
            tail = tail[1:] or tail
        room = max(1, height - len(head) - len(tail) - (trial is not None) - bool(tags))
        answer = prose(found.card.answer, min(width, 84))
        if height >= TALL_ROWS:  # extra height goes to the question whole, and what is checked
            asked = prose(found.card.prompt, min(width, 84))
            answer = [*(line.stylize_before("bold $s-bright") for line in asked), *answer]
            answer += [Content.assemble(("• ", "$s-muted"), *prose(p, 80)[:1]) for p in found.card.key_points]
        body = answer[:room]
        if len(answer) > room and body:
            end = shortened(body[-1].rstrip(), width - 2, 1)[0].rstrip(" …")
            body[-1] = Content.assemble(end, (" …", "$s-muted"))
        head += body
        if tags:
            named = Content.styled(f"tags   {clean_place('  '.join(tags))}", "$s-muted")
            head.append(named.truncate(width, ellipsis=True))
        told = [trial.truncate(width, ellipsis=True)] if trial else []
        self.preview.show([*head, *told, *tail])

    def _last_trial(self, last: LastTrial, today: int) -> tuple[str, float | None, float | None, str, bool] | None:
        assert self.desk is not None
        if last is None:
            return None
        run, predicted = last
        clock = self.desk.clock()
        day = study_day(instant_of(run.started_at_ms), clock.zone, clock.rollover)
        said = predicted.prediction.value if predicted is not None else None
        verdict = run.verdict
        measured, unit = (verdict.measured, verdict.unit) if verdict is not None else (None, "")
        return parts.day_words(day, today), said, measured, unit, predicted is not None

    # moving and marking

    def action_move(self, step: int) -> None:
        """Move the cursor by cards."""
        self.at += step
        self.paint()

    def steps_to(self, row: int) -> int | None:
        """Return how far the card of a row is; the first row names the columns."""
        place = self.first + row - 1
        return place - self.at if row > 0 and place < self.count else None

    def action_page(self, step: int) -> None:
        """Move the cursor by a page."""
        self.action_move(step * max(1, self.list.size.height - 2))

    def action_end(self, last: int) -> None:
        """Go to the first or the last card."""
        self.at = self.count - 1 if last else 0
        self.paint()

    def action_mark(self) -> None:
        """Mark the card, or take its mark off, and go on to the next."""
        if self.here is not None:
            card = self.here.card.id
            if card in self.marked:
                del self.marked[card]
            else:
                self.marked[card] = None
            self.action_move(1)

    def action_range(self) -> None:
        """Begin a range of marks here, or end it here."""
        if self.range_from is None:
            self.range_from = self.at
        else:
            self._keep_range()
        self.paint()

    def action_mark_all(self) -> None:
        """Mark all that was found; if all are marked, none."""
        if self.browsing is None:
            return
        ids = self.browsing.ids(self.browsing.places)
        self.range_from = None
        self.marked = {} if all(card in self.marked for card in ids) else dict.fromkeys([*self.marked, *ids])
        self.paint()

    def _in_range(self, place: int) -> bool:
        return self.range_from is not None and min(self.range_from, self.at) <= place <= max(
            self.range_from, self.at
        )

    def _keep_range(self) -> None:
        if self.range_from is not None and self.browsing is not None:
            low, high = sorted((self.range_from, self.at))
            self.marked |= dict.fromkeys(self.browsing.ids(self.browsing.places[low : high + 1]))
            self.range_from = None

    def _how_many_marked(self) -> int:
        if self.range_from is None or self.browsing is None:
            return len(self.marked)
        low, high = sorted((self.range_from, self.at))
        return len({*self.marked, *self.browsing.ids(self.browsing.places[low : high + 1])})
