"""Reading a lesson in lines: a section, its prompts, and whether it was read, which releases its cards."""

from __future__ import annotations

from contextlib import ExitStack

from studyapp.core.cards import ExperimentLink
from studyapp.plain.bench import Bench
from studyapp.plain.review import review
from studyapp.plain.talk import Talk, plural
from studyapp.plain.trial import put_on_trial
from studyapp.settings import Settings
from studyapp.study.desk import Desk
from studyapp.study.reading import Chapter, Contents, contents, finish
from studyapp.study.today import write_status

KEYS = "n next without marking, b back, c contents, s study, q quits."
HELP = "Press enter, or type n, b, c, s, x, q, or the number of a section."


def read(desk: Desk, talk: Talk, settings: Settings, module: str | None = None) -> int:
    """Read a module until its end or until the learner leaves; return the exit code.

    Raises:
        UsageError: If there is no such module, or there is none at all.
    """
    found = contents(desk, module)
    talk.say(
        f"{found.title}. {plural(len(found.chapters), 'section')}.", *([found.summary] if found.summary else [])
    )
    with ExitStack() as stack:
        reader = _Reader(desk, talk, settings, found, stack)
        try:
            with talk.until_over():
                reader.hold()
        except KeyboardInterrupt:
            talk.say("", reader.farewell())
            raise
        finally:
            write_status(desk)
        talk.say(reader.farewell())
    return 0


class _Reader:
    """Where the learner is in a module."""

    def __init__(self, desk: Desk, talk: Talk, settings: Settings, found: Contents, stack: ExitStack) -> None:
        self.desk = desk
        self.talk = talk
        self.settings = settings
        self.found = found
        self.at = found.first_unread
        self.marked = 0
        self.released = 0
        self._stack = stack
        self._bench: Bench | None = None

    def hold(self) -> None:
        while self.at < len(self.found.chapters):
            chapter = self.found.chapters[self.at]
            self._show(chapter)
            while not self._go(chapter):
                pass
        self.talk.say("That was the last section.")

    def _show(self, chapter: Chapter) -> None:
        read_before = " Read before." if chapter.read else ""
        head = f"Section {chapter.number} of {len(self.found.chapters)}: {chapter.section.title}.{read_before}"
        self.talk.say("", head, "")
        self.talk.markdown(chapter.section.body)
        if chapter.cards:
            self.talk.say("", "Say it first:")
            for card in chapter.cards:
                self.talk.markdown(f"- {card.prompt}")

    def _go(self, chapter: Chapter) -> bool:
        """Do what the learner asks; return whether another section is to be shown."""
        enter = "Press enter for the next section" if chapter.read else "Press enter when you have read it"
        trial = "x experiment, " if self._links(chapter) else ""
        said = self.talk.ask(f"{enter}; {trial}{KEYS}")
        if said == "":
            self._mark(chapter)
        if said in ("", "n"):
            self.at += 1
        elif said == "b":
            self.at = max(0, self.at - 1)
        elif said.isascii() and said.isdigit() and 1 <= int(said) <= len(self.found.chapters):
            self.at = int(said) - 1
        else:
            self._aside(said, chapter)
            return False
        return True

    def _aside(self, said: str, chapter: Chapter) -> None:
        links = self._links(chapter)
        if said == "c":
            for entry in self.found.chapters:
                self.talk.say(f"{entry.number}. {entry.section.title}, {'read' if entry.read else 'not read'}.")
            self.talk.say("Type a number to go to its section.")
        elif said == "s":
            review(self.desk, self.talk, self.settings, self.found.module)
        elif said == "x" and links:
            if self._bench is None:
                self._bench = self._stack.enter_context(Bench(self.settings.worker_command))
            put_on_trial(self.desk, self.talk, self._bench, self.settings, links, None)
        else:
            self.talk.say("This section has no experiment." if said == "x" else HELP)

    def _mark(self, chapter: Chapter) -> None:
        if chapter.read:
            return
        finish(self.desk, self.found.module, chapter.section.id)
        self.found = contents(self.desk, self.found.module)
        self.marked += 1
        self.released += len(chapter.cards)
        self.talk.say(f"Stored as read. {plural(len(chapter.cards), 'card')} released.")

    def _links(self, chapter: Chapter) -> list[ExperimentLink]:
        links = {link.experiment: link for link in chapter.section.experiments}
        links |= {link.experiment: link for card in chapter.cards for link in card.experiments}
        return list(links.values())

    def farewell(self) -> str:
        """Return what was stored, as a sentence."""
        if not self.marked:
            return "No section was marked as read."
        return f"{plural(self.marked, 'section')} read, {plural(self.released, 'card')} released; all stored."
