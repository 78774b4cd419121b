"""A sitting in lines: the question, the answer, the key points, a grade; stored before the next card is read."""

from __future__ import annotations

import time
from contextlib import ExitStack

from studyapp.core.attempts import ATTEMPTED, Attempt, suggested
from studyapp.core.cram import Beyond
from studyapp.core.errors import StaleShowingError
from studyapp.core.manual import verb
from studyapp.core.reviews import Answered, Rating
from studyapp.core.timebox import Timebox
from studyapp.plain.asides import CORRECT, HELP, HELP_WORDS, PUT_AWAY, put_away, write_correction
from studyapp.plain.attempts import ask_options, choice_of, invitation, tell, weigh
from studyapp.plain.away import Away
from studyapp.plain.bench import Bench
from studyapp.plain.talk import Talk, plural
from studyapp.plain.trial import put_on_trial
from studyapp.settings import Settings
from studyapp.study.coming_back import accept, decline, offer
from studyapp.study.cramming import sit_down
from studyapp.study.desk import Desk
from studyapp.study.going_stale import stale_of
from studyapp.study.reading import contents
from studyapp.study.reviewing import Graded, Showing
from studyapp.study.today import module_lines

NAMES = {Rating.AGAIN: "again", Rating.HARD: "hard", Rating.GOOD: "good", Rating.EASY: "easy"}


def review(
    desk: Desk, talk: Talk, settings: Settings, module: str | None = None, wish: Beyond | None = None
) -> int:
    """Hold a sitting until nothing is left or the learner leaves; return the exit code.

    Raises:
        UsageError: If there is no such module.
        StoreError: If an answer could not be stored.
    """
    if module is not None:
        module = contents(desk, module).module
    sitting = _Sitting(desk, talk, settings, module, wish)
    with sitting:
        try:
            with talk.until_over():
                sitting.hold()
        except KeyboardInterrupt:
            talk.say("", sitting.farewell())
            raise
        talk.say(sitting.farewell())
    return 0


class _Sitting:
    """What one conversation about cards holds."""

    def __init__(
        self, desk: Desk, talk: Talk, settings: Settings, module: str | None, wish: Beyond | None
    ) -> None:
        self.desk = desk
        self.talk = talk
        self.settings = settings
        self.module = module
        self.wish = wish
        self.sitting = sit_down(desk, module, wish)
        self.box = Timebox(settings.timebox_minutes)
        self.grades = (Rating.AGAIN, Rating.GOOD) if settings.buttons == 2 else tuple(Rating)
        self.number = 0
        self._again: Showing | None = None
        self.run: str | None = None
        self._away_s = 0.0
        """How long trials of the card on show took, less what the program had been stopped before: no thinking."""
        self._bench: Bench | None = None
        self._stack = ExitStack()
        self._stopped = self._stack.enter_context(Away())

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
        if self.wish is None:
            self._welcome_back()
        counts = self.sitting.counts()
        if counts.due:
            names = ((counts.review, "to review"), (counts.new, "new"), (counts.learning, "learning"))
            split = ", ".join(f"{count} {name}" for count, name in names if count)
            when = "today" if self.wish is None else f"({self.sitting.title})"
            held = f" {counts.held_back} more wait their turn." if counts.held_back else ""
            self.talk.say(f"{plural(counts.due, 'card')} {when}: {split}.{held}")
        if self.wish is not None and not self.wish.moves:
            self.talk.say("Answers are kept and move nothing. Each card comes until it was good once.")
        while (showing := self._again or self.sitting.next()) is not None:
            self._again = None
            self._mind_the_time()
            self.number += 1
            self.run = None
            self._card(showing)

    def _welcome_back(self) -> None:
        """Offer a learner who was away for days a part of what is due now and the rest over the next days."""
        found = offer(self.desk)
        if found is None:
            return
        self.talk.say(
            f"Welcome back. Away {found.away_days} days, {found.due} due: {found.per_day} now "
            f"(about {found.minutes} minutes), {found.rest}?",
            "Cards that wait longer are forgotten a little more often; none is lost.",
        )
        if self.talk.choose("s spreads them so, enter takes all now, q quits.", ("", "s"), "Press s, enter or q."):
            accept(self.desk, found)
            self.sitting = sit_down(self.desk, self.module, self.wish)
        else:
            decline(self.desk)

    def _card(self, showing: Showing) -> None:
        new = " New." if showing.is_new else ""
        self.talk.say("", f"Card {self.number}.{new}")
        if showing.card.experiments and (stale := stale_of(self.desk, showing.card.id)) is not None:
            self.talk.say(stale.note)
        self.talk.markdown(showing.card.prompt)
        ask_options(showing, self.talk)
        self._away_s = -self._stopped.seconds
        began = time.monotonic()
        more = "x tries it in an experiment, " if showing.card.experiments else ""
        more += "u takes back" if showing.card.kind in ATTEMPTED else "u takes back, h helps"
        question = f"{invitation(showing)} {more}, q quits."
        said = self._until(showing, question, ("",), free=showing.card.kind in ATTEMPTED)
        if not said:
            return
        tried = weigh(showing, said[0]) if showing.card.kind in ATTEMPTED else None
        self._answer(showing, tried)
        suggestion = suggested(tried, self.grades)
        grades = tuple(str(int(grade)) for grade in self.grades)
        answers = grades if suggestion is None else ("", *grades)
        grade = self._until(showing, self._question(showing, suggestion), answers)
        if grade:
            away_s = self._away_s + self._stopped.seconds
            spent_ms = int((time.monotonic() - began - away_s) * 1000)
            self._store(showing, Rating(int(grade[0])) if grade[0] else suggestion or Rating.AGAIN, spent_ms)

    def _mind_the_time(self) -> None:
        """Where the minutes are over, ask whether to go on; q ends the sitting."""
        if self.box.over:
            words = self.box.words(self.sitting.counts().due)
            self.talk.choose(f"{words} Press enter to go on, q ends.", ("",), "Press enter, or q.")
            self.box.begin_again()

    def _until(
        self, showing: Showing, question: str, answers: tuple[str, ...], *, free: bool = False
    ) -> list[str]:
        """Ask until one of the answers comes, running trials meanwhile; empty where another card is to come.

        Where the answer is free, any line is one but u and x, and it comes back as it was typed.
        """
        links = showing.card.experiments
        while True:
            line = self.talk.ask_line(question)
            said = line.lower()
            if said in answers or (
                free and said != "u" and not (said == "x" and links) and self._fits(showing, line)
            ):
                return [line]
            if said == "x" and links:
                self._try(showing)
            elif said == "u":
                if self._undo():
                    return []
            elif said == "x":
                self.talk.say("This card has no experiment.")
            elif said in PUT_AWAY and not free:
                put_away(self.sitting, showing, said, self.talk)
                return []
            elif said == CORRECT and not free:
                write_correction(self.desk, showing.card.id, self.talk)
            elif said == HELP and not free:
                self.talk.say(HELP_WORDS)
            elif not free:
                named = [answer or "enter" for answer in answers]
                given = f"Type {', '.join(named[:-1])} or {named[-1]}."
                self.talk.say("Press enter to hear the answer." if answers == ("",) else given)

    def _try(self, showing: Showing) -> None:
        began = time.monotonic() - self._stopped.seconds  # what is counted there is not counted here
        links = showing.card.experiments
        run = put_on_trial(self.desk, self.talk, self.bench, self.settings, links, showing.card.id)
        self.run = run or self.run
        self._away_s += time.monotonic() - self._stopped.seconds - began

    def _fits(self, showing: Showing, line: str) -> bool:
        """Return whether a free answer can be one; a choice is made of numbers, which is said where it is not."""
        choice = choice_of(showing)
        if choice is None or weigh(showing, line) is not None:
            return True
        self.talk.say(f"Give numbers from 1 to {len(choice.options)}, or press enter.")
        return False

    def _answer(self, showing: Showing, tried: Attempt | None) -> None:
        tell(showing, tried, self.talk)
        if showing.card.key_points:
            self.talk.say("Did you say:")
            for point in showing.card.key_points:
                self.talk.markdown(f"- {point}")

    def _question(self, showing: Showing, suggestion: Rating | None) -> str:
        parts = [f"{int(r)} {NAMES[r]}, {wait(showing.outcomes[r])}." for r in self.grades]
        takes = f" Enter takes {NAMES[suggestion]}." if suggestion is not None else ""
        more = "x tries it in an experiment, " if showing.card.experiments else ""
        return f"Grade: {' '.join(parts)}{takes} Or {more}u takes back, h helps, q quits."

    def _store(self, showing: Showing, rating: Rating, spent_ms: int) -> None:
        try:
            graded = self.sitting.grade(showing, rating, duration_ms=spent_ms, run=self.run)
        except StaleShowingError as error:
            self.talk.say(error.message, error.hint)
            return
        self.box.spend(spent_ms / 1000)
        if not showing.moves:
            again = "" if rating >= Rating.GOOD else " It comes again in this sitting."
            self.talk.say(f"Stored: {NAMES[rating]}. Its due day stays as it is.{again}")
        elif graded.put_away:
            self.talk.say(f"Stored: {NAMES[rating]}. {_leech(graded)} It is suspended; u takes both back.")
        else:
            back = f"It comes back in {wait(graded.answered)}."
            self.talk.say(f"Stored: {NAMES[rating]}. {back}{' ' + _leech(graded) if graded.leech else ''}")

    def _undo(self) -> bool:
        voided = self.sitting.undo()
        if voided is None:
            self.talk.say("There is nothing to take back.")
            return False
        what = NAMES[Rating(voided.rating)] if voided.rating else verb(voided.action)
        self._again = self.sitting.again(voided)
        now = self._again is not None and self._again.card.id == voided.card
        self.talk.say(f"Taken back: {what} for {voided.card}.{' It comes again now.' if now else ''}")
        return True

    def farewell(self) -> str:
        """Return what was stored and what comes next, as a sentence or two."""
        answered = self.sitting.answered
        stored = f"{plural(answered, 'answer')} stored." if answered else "Nothing was answered."
        counts = self.sitting.counts()
        if self.wish is not None:
            left = counts.due + counts.held_back
            return f"{stored} {plural(left, 'card')} left." if left else f"{stored} That was all of it."
        if counts.due:
            return f"{stored} {plural(counts.due, 'card')} still due today."
        if counts.waiting_until_ms is not None:
            minutes = max(1, round((counts.waiting_until_ms - self.desk.clock().at_ms) / 60_000))
            return f"{stored} The next card comes back in {minutes} min."
        unread = not answered and any(line.unread for line in module_lines(self.desk))
        more = " Reading a section brings new cards: `studyapp read --plain`." if unread else ""
        return f"{stored} Nothing more is due today.{more}"


def _leech(graded: Graded) -> str:
    return f"It was forgotten {graded.answered.after.lapses} times: worth rewriting."


def wait(answered: Answered) -> str:
    """Return when a card comes back, in words; exactly what is stored."""
    if answered.after == answered.before:
        return "no change"
    if answered.interval_days:
        return plural(answered.interval_days, "day")
    minutes = answered.delay_ms / 60_000
    return "under a minute" if minutes < 1 else f"{minutes:.1f}".removesuffix(".0") + " min"
