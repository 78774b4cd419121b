"""A sitting in lines: the question, the answer, the key points, a grade; stored before the next card is read."""

from __future__ import annotations

import time
from contextlib import ExitStack

from studyapp.core.errors import StaleShowingError
from studyapp.core.manual import verb
from studyapp.core.reviews import Answered, Rating
from studyapp.plain.bench import Bench
from studyapp.plain.talk import Over, Talk, plural
from studyapp.plain.trial import put_on_trial
from studyapp.settings import Settings
from studyapp.study.desk import Desk
from studyapp.study.reading import contents
from studyapp.study.reviewing import Showing, Sitting
from studyapp.study.today import module_lines

GRADES = ("1", "2", "3", "4")
NAMES = {Rating.AGAIN: "again", Rating.HARD: "hard", Rating.GOOD: "good", Rating.EASY: "easy"}


def review(desk: Desk, talk: Talk, settings: Settings, module: str | None = None) -> int:
    """Hold a sitting until nothing is due or the learner leaves; return the exit code.

    Raises:
        UsageError: If there is no such module.
        StoreError: If an answer could not be stored.
    """
    if module is not None:
        module = contents(desk, module).module
    sitting = _Sitting(desk, talk, settings, module)
    with sitting:
        try:
            sitting.hold()
        except Over as over:
            if over.ended:
                talk.say("The input has ended.")
        except KeyboardInterrupt:
            talk.say("", sitting.farewell())
            raise
        talk.say(sitting.farewell())
    return 0


class _Sitting:
    """What one conversation about cards holds."""

    def __init__(self, desk: Desk, talk: Talk, settings: Settings, module: str | None) -> None:
        self.desk = desk
        self.talk = talk
        self.settings = settings
        self.sitting = Sitting(desk, module)
        self.number = 0
        self.run: str | None = None
        self._bench: Bench | None = None
        self._stack = ExitStack()

    def __enter__(self) -> _Sitting:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self.sitting.finish()

    @property
    def bench(self) -> Bench:
        """The worker, started with the first trial."""
        if self._bench is None:
            self._bench = self._stack.enter_context(Bench(self.settings.worker_command))
        return self._bench

    def hold(self) -> None:
        counts = self.sitting.counts()
        if counts.due:
            names = ((counts.review, "to review"), (counts.new, "new"), (counts.learning, "learning"))
            split = ", ".join(f"{count} {name}" for count, name in names if count)
            self.talk.say(f"{plural(counts.due, 'card')} today: {split}.")
        while (showing := self.sitting.next()) is not None:
            self.number += 1
            self.run = None
            self._card(showing)

    def _card(self, showing: Showing) -> None:
        new = " New." if showing.is_new else ""
        self.talk.say("", f"Card {self.number}.{new}")
        self.talk.markdown(showing.card.prompt)
        began = time.monotonic()
        more = "x tries it in an experiment, " if showing.card.experiments else ""
        question = f"Say the answer aloud, then press enter; {more}u takes back, q quits."
        if not self._until(showing, question, ("",)):
            return
        self._answer(showing)
        grade = self._until(showing, self._grades(showing), GRADES)
        if grade:
            spent_ms = int((time.monotonic() - began) * 1000)
            self._store(showing, Rating(int(grade[0])), spent_ms)

    def _until(self, showing: Showing, question: str, answers: tuple[str, ...]) -> list[str]:
        """Ask until one of the answers comes, running trials meanwhile; empty after an undo."""
        links = showing.card.experiments
        while True:
            said = self.talk.ask(question)
            if said in answers:
                return [said]
            if said == "x" and links:
                self.run = put_on_trial(self.desk, self.talk, self.bench, self.settings, links, showing.card.id)
            elif said == "u":
                if self._undo():
                    return []
            elif said == "x":
                self.talk.say("This card has no experiment.")
            else:
                self.talk.say("Type 1, 2, 3 or 4." if answers is GRADES else "Press enter to hear the answer.")

    def _answer(self, showing: Showing) -> None:
        self.talk.say("Answer:")
        self.talk.markdown(showing.card.answer)
        if showing.card.key_points:
            self.talk.say("Did you say:")
            for point in showing.card.key_points:
                self.talk.markdown(f"- {point}")

    def _grades(self, showing: Showing) -> str:
        parts = [f"{int(r)} {NAMES[r]}, {wait(showing.outcomes[r])}." for r in Rating]
        return f"Grade: {' '.join(parts)}"

    def _store(self, showing: Showing, rating: Rating, spent_ms: int) -> None:
        try:
            graded = self.sitting.grade(showing, rating, duration_ms=spent_ms, run=self.run)
        except StaleShowingError as error:
            self.talk.say(error.message, error.hint)
            return
        self.talk.say(f"Stored: {NAMES[rating]}. It comes back in {wait(graded.answered)}.")

    def _undo(self) -> bool:
        voided = self.sitting.undo()
        if voided is None:
            self.talk.say("There is nothing to take back.")
            return False
        what = NAMES[Rating(voided.rating)] if voided.rating else verb(voided.action)
        self.talk.say(f"Taken back: {what} for {voided.card}. It comes again now.")
        return True

    def farewell(self) -> str:
        """Return what was stored and what comes next, as a sentence or two."""
        answered = self.sitting.answered
        stored = f"{plural(answered, 'answer')} stored." if answered else "Nothing was answered."
        counts = self.sitting.counts()
        if counts.due:
            return f"{stored} {plural(counts.due, 'card')} still due today."
        if counts.waiting_until_ms is not None:
            minutes = max(1, round((counts.waiting_until_ms - self.desk.clock().at_ms) / 60_000))
            return f"{stored} The next card comes back in {minutes} min."
        unread = not answered and any(line.unread for line in module_lines(self.desk))
        more = " Reading a section brings new cards: `studyapp read --plain`." if unread else ""
        return f"{stored} Nothing more is due today.{more}"


def wait(answered: Answered) -> str:
    """Return when a card comes back, in words; exactly what is stored."""
    if answered.interval_days:
        return plural(answered.interval_days, "day")
    minutes = answered.delay_ms / 60_000
    return "under a minute" if minutes < 1 else f"{minutes:.1f}".removesuffix(".0") + " min"
