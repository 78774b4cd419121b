"""Read: a lesson section by section; finishing one releases its cards, which then stand at its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.app import DeskFailed, DeskReady, Synced
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place, trail
from studyapp.tui.widgets.prose import prose

if TYPE_CHECKING:
    from studyapp.core.cards import ExperimentLink
    from studyapp.study.reading import Chapter, Contents


class ReadScreen(StudyScreen):
    """One section at a time, with the contents beside it."""

    CSS_PATH = "read.tcss"
    PLACE = "read"
    HELP = (
        "Read a section, then press **{read.next}**: its cards are released and you can say their answers first. "
        "Cards of sections you have not read wait, so you are never asked what you were not taught. "
        "**{read.all}** releases the whole lesson at once, if you know it already."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,enter", "done", "done, next", key_display="n", id="read.next", tooltip="Release its cards"),
        Binding("space,pagedown,ctrl+d", "page(1)", "page", id="read.page", tooltip="A page down"),
        Binding("pageup,backspace,ctrl+u", "page(-1)", "", show=False, id="read.back", tooltip="A page up"),
        Binding("down,j", "line(1)", "", show=False, id="read.down", tooltip="A line down"),
        Binding("up,k", "line(-1)", "", show=False, id="read.up", tooltip="A line up"),
        Binding("right,l", "go(1)", "sections", key_display="← →", id="read.right", tooltip="The next section"),
        Binding("left,h", "go(-1)", "", show=False, id="read.left", tooltip="The section before"),
        Binding("s", "study", "study these", id="read.study", tooltip="Say the answers that are due"),
        Binding("x", "trial", "experiment", id="read.trial", tooltip="Put this section on trial"),
        Binding("b", "browse", "cards", id="read.browse", tooltip="Browse the cards of this section"),
        Binding("slash", "find", "find", key_display="/", id="read.find", tooltip="Find a section or a card"),
        Binding("c", "contents", "contents", show=False, id="read.contents", tooltip="Contents (narrow window)"),
        Binding("ctrl+r", "release", "", show=False, id="read.all", tooltip="Release the whole lesson at once"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self, module: str | None, section: str | None = None) -> None:
        """Show a lesson.

        Args:
            module: Which one; None for the first that has something unread.
            section: Where to begin; None for the first unread section.
        """
        super().__init__()
        self.module = module
        self.section = section
        self.contents: Contents | None = None
        self.at = 0

    def compose(self) -> ComposeResult:
        """Lay out contents and text."""
        yield self.top
        with Horizontal(id="page"):
            yield Static("", id="contents", markup=False)
            with VerticalScroll(id="text", can_focus=False):
                yield Static("", id="section", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Show the first unread section as soon as the desk is open."""
        if self.desk is not None:
            self._open()
        else:
            self.query_one("#section", Static).update(Content.styled("Opening the lesson ...", "$s-muted"))

    @on(DeskReady)
    def _open(self) -> None:
        from studyapp.study.reading import contents

        assert self.desk is not None
        try:
            self.contents = contents(self.desk, self.module)
        except StudyError as error:
            self.query_one("#section", Static).update(Content.assemble(error.message, "\n\n", error.hint))
            return
        self.at = self.contents.first_unread
        for index, chapter in enumerate(self.contents.chapters):
            if chapter.section.id == self.section:
                self.at = index
        self.paint()

    @on(DeskFailed)
    def _failed(self, message: DeskFailed) -> None:
        text = Content.assemble((message.error.message, "bold $s-again"), "\n\n", message.error.hint)
        self.query_one("#section", Static).update(text)

    def on_resize(self, event: events.Resize) -> None:
        """Give the contents away in a narrow window and wrap again."""
        self.set_class(event.size.width < 76, "-narrow")
        self.set_class(event.size.width >= 110, "-wide")
        self.set_class(event.size.height < 16, "-low")
        self.paint()

    @on(Synced)
    def on_screen_resume(self) -> None:
        """Back from a sitting, or a lesson was edited: counts and text have changed."""
        if self.contents is not None and self.desk is not None:
            from studyapp.study.reading import contents

            self.contents = contents(self.desk, self.contents.module)
            self.paint()

    @property
    def chapter(self) -> Chapter | None:
        """The section on screen."""
        if self.contents is None or not self.contents.chapters:
            return None
        return self.contents.chapters[min(self.at, len(self.contents.chapters) - 1)]

    def paint(self) -> None:
        """Repaint contents and text."""
        if self.contents is None:
            return
        if self.chapter is None:
            self._paint_cards_alone()
            return
        self.top.show(trail(self.contents.title, self.chapter.section.title))
        self.query_one("#contents", Static).update(self._contents_list())
        self.call_after_refresh(self._paint_text)
        self.show_keys()

    def _paint_cards_alone(self) -> None:
        """Say what a deck is that has no text, as those from Anki and most lists of cards are."""
        assert self.contents is not None
        self.top.show(clean_place(self.contents.title))
        text = Content.assemble(
            ("Cards alone, and no text: nothing has to be read before they come up.\n\n", "$s-text"),
            ("s", "bold $s-bright"),
            ("  study them     ", "$s-muted"),
            ("b", "bold $s-bright"),
            ("  browse them", "$s-muted"),
        )
        self.query_one("#section", Static).update(text)
        self.show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what does something: without a text there is nothing to turn or to finish."""
        if action in ("done", "go", "page", "trial", "contents", "release") and self.contents is not None:
            return self.chapter is not None
        return super().check_action(action, parameters)

    def _paint_text(self) -> None:
        chapter = self.chapter
        if chapter is None:
            return
        width = max(20, min(78, self.query_one("#text").size.width - 2))
        lines = [Content.styled(clean_place(chapter.section.title), "bold $s-bright")]
        lines += [Content.styled("─" * width, "$s-track"), *prose(chapter.section.body, width), Content("")]
        links = self._links(chapter)
        if links:
            more = f", and {len(links) - 1} more" if len(links) > 1 else ""
            words = f"   {clean_place(links[0].label or links[0].experiment)}{_seconds(links[0])}{more}"
            lines += Content.assemble(("try it   ", "$s-muted"), ("x", "bold $s-bright"), (words, "$s-sky")).wrap(
                width
            )
        lines += [Content(""), *self._prompts(chapter, width)]
        self.query_one("#section", Static).update(Content("\n").join(lines))

    def _prompts(self, chapter: Chapter, width: int) -> list[Content]:
        count = len(chapter.cards)
        if not count:
            return []
        cards = "1 card" if count == 1 else f"{count} cards"
        if not chapter.read:
            head = Content.assemble(
                (f"{cards} wait{'s' if count == 1 else ''} at the end of this section.  ", "$s-muted"),
                ("n", "bold $s-bright"),
                (" I have read it", "$s-text"),
            )
            return [head]
        lines = [Content.styled("SAY IT FIRST", "bold $s-you")]
        for card in chapter.cards[:12]:
            for number, line in enumerate(prose(card.prompt, width - 2)):
                lines.append(Content.assemble(("▸ " if number == 0 else "  ", "$s-you"), line))
        keys = Content.assemble(("s", "bold $s-bright"), (f" study them ({cards})", "$s-muted"))
        return [*lines, Content(""), keys]

    def _contents_list(self) -> Content:
        assert self.contents is not None
        read = sum(1 for c in self.contents.chapters if c.read)
        lines = [Content.styled(f"contents   {read} of {len(self.contents.chapters)} read", "$s-muted")]
        for index, chapter in enumerate(self.contents.chapters):
            here = index == self.at
            due = f" {chapter.due} due" if chapter.due else ""
            mark = "✓" if chapter.read else " "
            room = (36 if self.has_class("-wide") else 26) - 5 - len(due)
            title = clean_place(chapter.section.title)
            title = title if len(title) <= room else title[: room - 1] + "…"
            style = "bold $s-bright" if here else "$s-text" if chapter.read else "$s-muted"
            lines.append(
                Content.assemble(
                    ("▌ " if here else "  ", "$s-sky"),
                    (f"{mark} ", "$s-good"),
                    (title.ljust(room), style),
                    (due, "$s-cpu"),
                )
            )
        return Content("\n").join(lines)

    # what keys do

    async def action_done(self) -> None:
        """Mark the section as read, which releases its cards, and go to its prompts or the next section."""
        chapter = self.chapter
        if chapter is None or self.contents is None or self.desk is None:
            return
        if chapter.read:
            self.action_go(1)
            return
        from studyapp.study.reading import contents, finish

        await asyncio.to_thread(finish, self.desk, self.contents.module, chapter.section.id)
        self.contents = contents(self.desk, self.contents.module)
        self.study.refresh_status()
        self.paint()
        self.call_after_refresh(self._scroll_to_end)

    def _scroll_to_end(self) -> None:
        self.call_after_refresh(lambda: self.query_one("#text", VerticalScroll).scroll_end(animate=False))

    def action_go(self, step: int) -> None:
        """Show another section."""
        if self.contents is not None:
            self.at = max(0, min(len(self.contents.chapters) - 1, self.at + step))
            self.remove_class("-list")
            self.query_one("#text", VerticalScroll).scroll_home(animate=False)
            self.paint()

    def action_page(self, step: int) -> None:
        """Scroll by a page."""
        scroll = self.query_one("#text", VerticalScroll)
        (scroll.scroll_page_down if step > 0 else scroll.scroll_page_up)(animate=False)

    def action_line(self, step: int) -> None:
        """Scroll by a line."""
        scroll = self.query_one("#text", VerticalScroll)
        (scroll.scroll_down if step > 0 else scroll.scroll_up)(animate=False)

    def action_contents(self) -> None:
        """Show the contents in place of the text (narrow windows)."""
        self.toggle_class("-list")

    async def action_release(self) -> None:
        """Release the whole lesson at once."""
        if self.contents is not None and self.desk is not None:
            from studyapp.study.reading import contents, finish

            await asyncio.to_thread(finish, self.desk, self.contents.module, None)
            self.contents = contents(self.desk, self.contents.module)
            self.study.refresh_status()
            self.paint()

    def action_study(self) -> None:
        """Start a sitting with this module's cards."""
        if self.contents is not None:
            from studyapp.tui.screens.review import ReviewScreen

            self.app.push_screen(ReviewScreen(self.contents.module))

    def action_find(self) -> None:
        """Find a section, a card or anything else."""
        self.study.action_palette()

    def action_browse(self) -> None:
        """Look through the cards of this section, due or not."""
        if self.contents is not None:
            from studyapp.tui.screens.browse import BrowseScreen

            here = "" if self.chapter is None else f' section:"{self.chapter.section.id}"'
            self.app.push_screen(BrowseScreen(query=f"module:{self.contents.module}{here}"))

    def _links(self, chapter: Chapter) -> list[ExperimentLink]:
        """Return the section's trials, those of the running text first, each once."""
        wanted = [*chapter.section.experiments, *(link for card in chapter.cards for link in card.experiments)]
        return list({(link.experiment, tuple(sorted(link.controls.items()))): link for link in wanted}.values())

    def action_trial(self) -> None:
        """Put this section on trial."""
        chapter = self.chapter
        if chapter is None or not self._links(chapter):
            return
        from studyapp.tui.screens.experiment import ExperimentScreen

        self.app.push_screen(ExperimentScreen.of(self._links(chapter)))


def _seconds(link: ExperimentLink) -> str:
    """Return how long a trial usually takes, in words."""
    from studyapp.experiments.catalog import experiment

    try:
        return f", about {max(1, round(experiment(link.experiment).usual_s))} s"
    except StudyError:
        return ""  # an experiment of a newer version
