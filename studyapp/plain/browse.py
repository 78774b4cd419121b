"""Browsing in lines: a query in, numbered cards out; a number shows its card."""

from __future__ import annotations

from studyapp.core.days import day_to_iso
from studyapp.core.percent import percent
from studyapp.core.queries import QueryError
from studyapp.decks.md_plain import plain_line
from studyapp.plain.talk import Talk, plural
from studyapp.study.browsing import Browsing, Detail, Found, detail_of
from studyapp.study.desk import Desk

PAGE = 10
"""Cards told at a time."""
RATINGS = ("again", "hard", "good", "easy")
HELP = (
    "Type words or terms such as is:due tag:gpu prop:s<5 rated:7; a number shows that card, enter tells more, "
    "s 3 suspends card 3 or takes it back, u takes that back, q quits."
)


def browse(desk: Desk, talk: Talk, query: str = "") -> int:
    """Answer queries until the learner leaves; return the exit code.

    Args:
        desk: The open desk.
        talk: The conversation.
        query: The first query; "" begins by asking for one.
    """
    looking = _Looking(desk, talk)
    with talk.until_over():
        if query:
            looking.search(query)
        else:
            talk.say(f"{plural(len(looking.browsing.places), 'card')}. {HELP}")
        while True:
            looking.answer(talk.ask("Query, number or enter for more; h helps, q quits."))
    return 0


class _Looking:
    """What was found last and how far it was told."""

    def __init__(self, desk: Desk, talk: Talk) -> None:
        self.desk = desk
        self.talk = talk
        self.browsing = Browsing(desk)
        self.told = 0

    def answer(self, said: str) -> None:
        words = said.split()
        if not words:
            self.tell()
        elif said == "h":
            self.talk.say(HELP)
        elif said == "u":
            done = self.browsing.undo() or "nothing to take back"
            self.talk.say(f"{done[:1].upper()}{done[1:]}.")
        elif said.isascii() and said.isdigit():
            self.show(int(said))
        elif len(words) == 2 and words[0] == "s" and words[1].isascii() and words[1].isdigit():
            self.suspend(int(words[1]))
        else:
            self.search(said)

    def search(self, query: str) -> None:
        try:
            count = self.browsing.search(query)
        except QueryError as error:
            self.talk.say(error.message, error.hint)
            return
        self.talk.say(f"{plural(count, 'card')} found.")
        self.told = 0
        if count:
            self.tell()

    def tell(self) -> None:
        """Tell the next cards of what was found."""
        places = self.browsing.places[self.told : self.told + PAGE]
        if not places:
            self.talk.say("That was the last one." if self.told else "No card fits this query.")
            return
        for number, found in enumerate(self.browsing.found(self.browsing.ids(places)), start=self.told + 1):
            self.talk.say(f"{number}. {plain_line(found.card.prompt)} ({self._when(found)})")
        self.told += len(places)
        left = len(self.browsing.places) - self.told
        if left:
            self.talk.say(f"{left} more.")

    def _when(self, found: Found) -> str:
        card, memory = found.card, found.card.memory
        if card.hidden or card.suspended:
            return "left its file" if card.hidden else "suspended"
        if found.recall is None:
            return "new"
        due = "on a step" if memory.due_day is None else f"due {day_to_iso(memory.due_day)}"
        return f"{due}, recall {percent(found.recall)}"

    def _card(self, number: int) -> str | None:
        if not 1 <= number <= len(self.browsing.places):
            self.talk.say(f"There is no card {number}; {plural(len(self.browsing.places), 'card')} found.")
            return None
        return self.browsing.ids([self.browsing.places[number - 1]])[0]

    def suspend(self, number: int) -> None:
        card = self._card(number)
        if card is not None:
            self.talk.say(f"{self.browsing.suspend([card])}.")

    def show(self, number: int) -> None:
        card = self._card(number)
        detail = None if card is None else detail_of(self.desk, card)
        if detail is not None:
            self._tell_all(detail)

    def _tell_all(self, detail: Detail) -> None:
        card, memory = detail.found.card, detail.found.card.memory
        where = f"{detail.title}, {detail.section}" if detail.section else detail.title
        self.talk.say("", f"{card.id}, {where}, {self._when(detail.found)}.")
        self.talk.markdown(card.prompt)
        self.talk.say("Answer:")
        self.talk.markdown(card.answer)
        for point in card.key_points:
            self.talk.markdown(f"- {point}")
        if memory.stability is not None and memory.difficulty is not None:
            self.talk.say(f"Stability {memory.stability:.1f} days, difficulty {memory.difficulty:.1f} of 10.")
        last = ", ".join(RATINGS[row.rating - 1] for row in detail.answers[-8:])
        self.talk.say(f"{plural(len(detail.answers), 'answer')}{f', lately {last}' if last else ''}.")
        tags = " ".join([*card.tags, *detail.found.marked.tags])
        self.talk.say(*([f"Tags: {tags}."] if tags else []))
        self.talk.say(*([f"Flag: {detail.found.marked.flag}."] if detail.found.marked.flag else []))
        self.talk.say(*(f"Trial {line}." for line in detail.trials), "")
