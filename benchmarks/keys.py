"""From a key to what it paints: space shows the answer, a grade is stored and the next card painted.

The other side is `programs/card.py`, the same cards in plain Textual without a store. Both programs live at the
same time and take turns, card by card.

    python -m benchmarks.run keys
"""

from __future__ import annotations

from benchmarks import setting
from benchmarks.ratios import Figure, against, spread
from benchmarks.terminal import Terminal

SIZE = (80, 24)
LEFT_OVER = 5
"""Cards that are not timed: the first one, and some at the end."""


class Player:
    """One program with cards; keeps seconds and bytes of every step."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.reveal_s: list[float] = []
        self.next_s: list[float] = []
        self.reveal_cpu_s: list[float] = []
        self.next_cpu_s: list[float] = []
        self.reveal_bytes: list[float] = []
        self.next_bytes: list[float] = []
        terminal.until_shown("question-")
        terminal.settle(0.5)

    def step(self) -> None:
        """Reveal the answer, grade it Easy (so that the card does not come back today), see the next card."""
        for key, holds, seconds, cpu_s, sizes in (
            (b" ", _answered, self.reveal_s, self.reveal_cpu_s, self.reveal_bytes),
            (b"4", _asked, self.next_s, self.next_cpu_s, self.next_bytes),
        ):
            place, before_s = self.terminal.place, self.terminal.cpu_s()
            pressed_s = self.terminal.press(key)
            seconds.append(self.terminal.until_shown(holds, since=place) - pressed_s)
            self.terminal.settle(0.06, 1.0)
            cpu_s.append(self.terminal.cpu_s() - before_s)
            sizes.append(self.terminal.recording.bytes_since(place))


def _answered(rows: list[str]) -> bool:
    return any("answer-" in row for row in rows)


def _asked(rows: list[str]) -> bool:
    return any("question-" in row for row in rows) and not _answered(rows)


def measure(rounds: int = 100) -> list[Figure]:
    """Return the ratios of medians, and the slowest percent in milliseconds."""
    rounds = min(rounds, setting.CARDS - LEFT_OVER)
    with setting.home(with_deck=True) as folder:
        environ = setting.deck_environment(folder)
        theirs_command = (setting.HELLO[0], str(setting.PROGRAMS / "card.py"), str(setting.CARDS))
        with (
            Terminal((*setting.STUDYAPP, "review", setting.MODULE), environ=environ, size=SIZE) as one,
            Terminal(theirs_command, environ=environ, size=SIZE) as other,
        ):
            ours, theirs = Player(one), Player(other)
            for number in range(rounds):
                for player in (ours, theirs) if number % 2 else (theirs, ours):
                    player.step()
    return [
        against("grade -> next card / card in memory", ours.next_s, theirs.next_s, 1.3),
        against("CPU until it is still", ours.next_cpu_s, theirs.next_cpu_s, None),
        against("space -> answer / card in memory", ours.reveal_s, theirs.reveal_s, 1.15),
        against("CPU until it is still", ours.reveal_cpu_s, theirs.reveal_cpu_s, None),
        *(
            Figure(
                f"{name}, p99", spread(values).p99 * 1e3, "ms", 16.0, f"{spread(them).p99 * 1e3:.3g} ms in memory"
            )
            for name, values, them in (
                ("grade -> next card", ours.next_s, theirs.next_s),
                ("space -> answer", ours.reveal_s, theirs.reveal_s),
            )
        ),
        *(
            Figure(f"bytes {name}", spread(values).median, "bytes", None, f"{spread(them).median:.0f} in memory")
            for name, values, them in (
                ("of the next card", ours.next_bytes, theirs.next_bytes),
                ("of an answer", ours.reveal_bytes, theirs.reveal_bytes),
            )
        ),
    ]
