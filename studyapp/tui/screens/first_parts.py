"""The first run in words: the questions with their answers to step through, and a look at each theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from studyapp.settings import Settings
from studyapp.tui.theme import PALETTES

ZONES = (
    "UTC", "America/Los_Angeles", "America/Denver", "America/Chicago", "America/New_York", "America/Sao_Paulo",
    "Europe/London", "Europe/Paris", "Europe/Helsinki", "Europe/Istanbul", "Africa/Cairo", "Africa/Lagos",
    "Africa/Johannesburg", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok",
    "Asia/Singapore", "Asia/Shanghai", "Asia/Tokyo", "Asia/Seoul", "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
"""One to step to near everyone; any other can be set later."""
LEFT, GAP = 18, 2
SAMPLE = 22
"""Cells across of one theme's sample."""


@dataclass(frozen=True)
class Question:
    """One setting that is worth a question."""

    name: str
    words: str
    choices: tuple[str, ...]
    why: str


def questions(settings: Settings, color_depth: str) -> list[Question]:
    """Return what is worth asking here: no theme where only one can be shown, no zone where it is known."""
    found = []
    if color_depth in ("256", "true") and "theme" not in settings.sources:
        found.append(Question("theme", "theme", tuple(PALETTES), "seen as you choose"))
    found.append(
        Question(
            "rollover",
            "day starts at",
            tuple(f"{hour:02d}:00" for hour in range(9)),
            "earlier answers count for yesterday",
        )
    )
    found.append(Question("gpu", "use of a GPU", ("ask", "never", "idle"), "idle: when nobody else is on it"))
    if settings.zone_is_a_guess:
        found.append(Question("zone", "time zone", ZONES, "this machine says UTC; any other can be set later"))
    return found


def question_row(question: Question, value: str, width: int, *, here: bool) -> Content:
    """Return a question with its answer and why it is asked."""
    if len(question.choices) <= 3:
        parts: list[tuple[str, str]] = []
        for choice in question.choices:
            chosen = choice == value
            style = ("bold $s-sky" if here else "bold $s-bright") if chosen else "$s-muted"
            parts += [(f"[{choice}]" if chosen else f" {choice} ", style), (" ", "")]
        answer = Content.assemble(*parts)
    else:
        answer = Content.styled(f"‹{value}›" if here else f" {value}", "bold $s-sky" if here else "bold $s-bright")
    bar = ("▌ " if here else "  ", "$s-sky")
    name = set_cell_size(question.words, LEFT)
    line = Content.assemble(bar, (name, "bold $s-bright" if here else "$s-text"), answer)
    room = width - line.cell_length - 3
    if here and room > 20:
        line = Content.assemble(line, "   ", (question.why, "$s-muted"))
    return line.truncate(max(1, width), ellipsis=True)


def samples(chosen: str, width: int) -> list[Content]:
    """Return the themes side by side, each in its own colours; the chosen one has a bar above it."""
    fitting = list(PALETTES)[: max(1, (width + GAP) // (SAMPLE + GAP))]
    if chosen not in fitting:
        fitting = [*fitting[:-1], chosen]
    blocks = [_sample(name, PALETTES[name], chosen=name == chosen) for name in fitting]
    return [Content(" " * GAP).join(row) for row in zip(*blocks, strict=True)]


def _sample(name: str, palette: Mapping[str, str], *, chosen: bool) -> list[Content]:
    def line(*parts: tuple[str, str]) -> Content:
        ground = palette["s-bg"]
        cells = sum(cell_len(text) for text, _ in parts)
        pieces = [(text, f"{_style(style, palette)} on {ground}") for text, style in parts]
        return Content.assemble((" ", f"on {ground}"), *pieces, (" " * (SAMPLE - 1 - cells), f"on {ground}"))

    mark = Content.styled(("━" if chosen else " ") * SAMPLE, "$s-sky")
    return [
        mark,
        line((name, "s-sky")),
        line(("", "s-text")),
        line(("Why is it slow?", "bold s-bright")),
        line(("Its steps cost time.", "s-text")),
        line(("12 days", "s-muted"), ("  ▲", "s-cpu"), ("   you ", "s-muted"), ("◆", "s-you")),
        line(("●━━━━ CPU", "s-cpu"), ("  ", "s-text"), ("○━━━━ GPU", "s-gpu")),
        line(("▌1", "s-again"), ("   ▌2", "s-hard"), ("   ▌3", "s-good"), ("   ▌4", "s-easy")),
    ]


def _style(words: str, palette: Mapping[str, str]) -> str:
    return " ".join(palette.get(word, word) for word in words.split())


def welcome(width: int) -> list[Content]:
    """Return what the program is, in two sentences."""
    text = "Read a section, say its answers out loud, grade yourself; then put an answer on trial on this machine."
    return [Content.styled("WELCOME", "bold $s-you"), *Content.styled(text, "$s-text").wrap(width)]


def machine_words(testable: int | None, total: int, where: str, trouble: str) -> Content:
    """Return how many experiments this machine can answer, as far as it is known."""
    if trouble:
        return Content.assemble(
            (f"{total} experiments: {trouble} ", "$s-cpu"), ("Reading works without.", "$s-muted")
        )
    if testable is None:
        return Content.assemble(
            (f"{total} experiments", "bold $s-bright"),
            ("   looking at what this machine can answer ...", "$s-muted"),
        )
    lacking = total - testable
    rest = "" if not lacking else f"; {lacking} {'needs' if lacking == 1 else 'need'} what it lacks"
    return Content.assemble(
        (f"{testable} of {total} experiments", "bold $s-bright"),
        (f" can be tried on this machine ({where}){rest}", "$s-muted"),
    )


def changed(answers: Mapping[str, str], at_first: Mapping[str, str], asked: Sequence[Question]) -> dict[str, str]:
    """Return the answers that differ from what holds anyway."""
    return {q.name: answers[q.name] for q in asked if answers[q.name] != at_first[q.name]}
