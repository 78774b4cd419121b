"""Ten minutes of study over a line of 9,600 baud: how long a learner waits for each screen.

A person's script is played: each key is pressed once what it is about stands on the screen and has been read. The
line takes 960 bytes a second; what the program sends faster waits in the pseudo-terminal, as it does in ssh.

    python -m benchmarks.baud            # ten minutes
    python -m benchmarks.baud 4          # fifteen cards become four
"""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass

from benchmarks.ratios import spread
from benchmarks.setting import PROGRAMS, STUDYAPP, compile_everything, environment, home
from benchmarks.terminal import Terminal

BYTES_PER_S = 960
"""9,600 baud: ten bits a byte."""
TICK_S = 0.02
CARDS = 15
THINK_S, READ_S, LOOK_S = 12.0, 8.0, 4.0
"""How long the person thinks about a question, reads an answer, looks at any other screen."""
POINTS_PER_S, STREAM_S = 20, 12


class SlowTerminal(Terminal):
    """A terminal at the end of a slow line."""

    _free_at_s = 0.0
    """When the line has taken what was read so far."""

    def pump(self, seconds: float) -> bytes | None:
        """Read what the line takes within a tick, waiting at most so long."""
        wait_s = self._free_at_s - self.now_s
        if wait_s > 0:
            time.sleep(min(wait_s, max(0.0, seconds)))
            return b"" if wait_s > seconds else self.pump(seconds - wait_s)
        data = self._read(seconds, round(BYTES_PER_S * TICK_S))
        if data:
            self._free_at_s = max(self._free_at_s, self.now_s) + len(data) / BYTES_PER_S
        return data


@dataclass(frozen=True)
class Step:
    """What one key led to: seconds until the words that tell were there, until all was, and bytes."""

    name: str
    words_s: float
    all_s: float
    sent: int


class Person:
    """Presses keys, waits, and notes how long."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.steps: list[Step] = []

    def press(self, name: str, keys: bytes, words: str, look_s: float = LOOK_S) -> None:
        """Press keys, wait for words and for the end of the drawing, then look at it.

        The drawing has ended when the line was free for a while: the bar of a card goes on moving.
        """
        place, began_s = self.terminal.place, self.terminal.press(keys) if keys else self.terminal.now_s
        words_s = self.terminal.until_shown(words, since=place) - began_s
        self.terminal.settle(0.2)
        chunks = self.terminal.recording.chunks
        all_s = chunks[-1][0] - began_s
        self.steps.append(Step(name, words_s, all_s, self.terminal.recording.bytes_since(place)))
        print(f"{self.steps[-1]}", file=sys.stderr, flush=True)
        self.terminal.listen(look_s)


def study(person: Person, cards: int) -> None:
    """Go through a sitting."""
    person.press("start: Home", b"", "enter study")
    person.press("Home to the first card", b"\r", "SAY IT FIRST", THINK_S)
    for number in range(1, cards + 1):
        person.press("space: the answer", b" ", "CHECK YOURSELF", READ_S)
        person.press("4: stored, the next card", b"4", f" {number}/", THINK_S)
    person.press("back to Home", b"q", "enter study")
    person.press("Home to experiments", b"x", "choose")
    person.press("to an experiment", b"\r", "how sure?")
    person.press("a larger number", b"\x1b[C", "how sure?", 1.0)
    person.press("run: the first measurements", b"\r", "so far", 0.0)
    person.press("run: the verdict", b"", "run again")
    person.press("back to experiments", b"q", "choose")
    person.press("back to Home", b"q", "enter study")
    person.press("Home to stats", b"s", "stats")
    person.press("back to Home", b"q", "enter study")
    person.press("Home to browse", b"b", "by lesson")
    for _ in range(5):
        person.press("browse: down", b"j", "by lesson", 1.0)
    person.press("browse: down, ten times at once", b"jjjjjjjjjj", "by lesson")
    person.press("back to Home", b"q", "enter study")
    person.press("Home to read", b"l", "contents")
    for _ in range(5):
        person.press("read: a section back", b"\x1b[D", "contents")
    person.press("back to Home", b"q", "enter study")
    person.press("Home to help", b"?", "everywhere")
    person.press("back to Home", b"q", "enter study")


def main() -> None:
    compile_everything()
    cards = int(sys.argv[1]) if len(sys.argv) > 1 else CARDS
    worker = (sys.executable, str(PROGRAMS / "streaming_worker.py"), str(POINTS_PER_S), str(STREAM_S))
    with home() as folder:
        environ = environment(folder, STUDYAPP_WORKER_COMMAND=shlex.join(worker))
        with SlowTerminal(STUDYAPP, environ=environ) as terminal:
            person = Person(terminal)
            study(person, cards)
            began_s = terminal.press(b"q")
            while terminal.pump(5.0):
                pass
            print(f"leaving took {terminal.now_s - began_s:.1f} s; all of it {terminal.now_s / 60:.1f} minutes")
    print("| step | bytes | the words that tell | all of it |\n|---|---|---|---|")
    for name in dict.fromkeys(step.name for step in person.steps):
        found = [step for step in person.steps if step.name == name]
        sent = spread([float(step.sent) for step in found]).median
        words_s, all_s = spread([s.words_s for s in found]).median, spread([s.all_s for s in found]).median
        print(f"| {name} | {sent:.0f} | {words_s:.1f} s | {all_s:.1f} s |")


if __name__ == "__main__":
    main()
