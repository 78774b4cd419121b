"""How long until something, and until the first card, is on the screen, against a Textual hello world.

python -m benchmarks.run start
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks import setting
from benchmarks.ratios import Figure, against, interleave
from benchmarks.terminal import Terminal

FRAME = b"studyapp"
"""The first word of the first row, in every first frame."""
SIZE = (80, 24)


def measure(rounds: int = 11) -> list[Figure]:
    """Return first paint and first card as ratios to hello, in wall time and in CPU time of the process."""
    # as a learner starts it, where it is installed: `python -m` imports 1 ms more, which the hello world does not
    program = (str(setting.SCRIPT),) if setting.SCRIPT.exists() else setting.STUDYAPP
    with setting.home() as folder:
        environ = setting.environment(folder)
        cpu_s: dict[str, list[float]] = {}
        entries = {
            name: _start(command, environ, marker, cpu_s.setdefault(name, []))
            for name, command, marker in (
                ("hello", setting.HELLO, setting.HELLO_SAYS),
                ("home", program, FRAME),
                ("review", (*program, "review"), FRAME),
                ("card", (*program, "review"), setting.LAID_OUT),
            )
        }
        wall_s = interleave(entries, rounds)
    titles = (
        ("home", "first paint of `studyapp`", 1.15),
        ("review", "first paint of `studyapp review`", 1.15),
        ("card", "first card of `studyapp review`", 1.8),
    )
    figures = []
    for name, title, goal in titles:
        figures.append(against(f"{title} / hello", wall_s[name], wall_s["hello"], goal))
        cpu = against(f"CPU until {title} / hello", cpu_s[name][1:], cpu_s["hello"][1:], None)
        figures.append(cpu)
    return figures


def _start(
    command: Sequence[str], environ: dict[str, str], marker: bytes, cpu_s: list[float]
) -> Callable[[], float]:
    def once() -> float:
        with Terminal(command, environ=environ, size=SIZE) as terminal:
            at_s = terminal.until(marker)
            cpu_s.append(terminal.cpu_s())
            if marker == setting.LAID_OUT:
                _insist_on_a_question(terminal)
            return at_s

    return once


def _insist_on_a_question(terminal: Terminal) -> None:
    """Check that the question was on the screen with the words above it.

    Raises:
        RuntimeError: If it was not.
    """

    def asked(rows: list[str]) -> bool:
        above = next((n for n, row in enumerate(rows) if setting.LAID_OUT.decode() in row), None)
        return above is not None and any("?" in row for row in rows[above + 1 : above + 6])

    if terminal.recording.shown(asked, SIZE) != terminal.recording.chunks[-1][0]:
        raise RuntimeError("the first card came without its question")
