"""What a report says, whatever it is written in: the summary, each result's number, circumstances and remarks."""

from __future__ import annotations

from datetime import tzinfo

from studyapp.chart.units import quantity
from studyapp.core.days import instant_of
from studyapp.core.points import Basis
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome, Verdict
from studyapp.study.suite import Result, Suite

TITLE = "The whole lesson on trial"
NO_RESULT = "no_result"
KINDS = (*(outcome.value for outcome in Outcome), NO_RESULT)
"""What a result can be, in the order of a report's legend."""
GLYPHS = dict(zip(KINDS, ("✓", "✕", "≈", "○", "!"), strict=True))
"""Told apart without colour."""
WORDS = {**{outcome.value: words for outcome, words in OUTCOME_WORDS.items()}, NO_RESULT: "gave no result"}
_COUNTED = {
    "holds": ("holds here", "hold here"),
    "does_not_hold": ("does not hold here", "do not hold here"),
    "too_noisy": ("is too noisy to say", "are too noisy to say"),
    "cannot_test": ("cannot be tested here", "cannot be tested here"),
    NO_RESULT: ("gave no result", "gave no result"),
}

LEGEND = {
    "holds": ("holds", "hold"),
    "does_not_hold": ("does not hold", "do not hold"),
    "too_noisy": ("too noisy to say", "too noisy to say"),
    "cannot_test": ("cannot be tested here", "cannot be tested here"),
    NO_RESULT: ("without a result", "without a result"),
}
"""One and several, beside their count."""


def kind(result: Result) -> str:
    """Return which of `KINDS` a result is."""
    return result.outcome.value if result.outcome is not None else NO_RESULT


def title(suite: Suite) -> str:
    """Return the report's title."""
    one = len(suite.results) == 1 and suite.planned <= 1
    return "A claim on trial" if one else TITLE


def summary(suite: Suite) -> str:
    """Return one sentence with every count that is not zero."""
    if not suite.results:
        return "Nothing was tried."
    counts = suite.counts()
    parts = [f"{counts[name]} {_COUNTED[name][counts[name] != 1]}" for name in KINDS if counts[name]]
    total = len(suite.results)
    if total == 1 and not suite.left:
        return f"The verdict: {WORDS[kind(suite.results[0])]}."
    claims = f"{total} claim was tried" if total == 1 else f"{total} claims were tried"
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"
    words = f"{claims}: {listed}."
    if suite.left:
        words += f" The run was ended early; {suite.left} {'was' if suite.left == 1 else 'were'} not reached."
    return words


def measured(result: Result) -> tuple[str, str]:
    """Return what kind of number a result has ("measured here", "reckoned") and the number; "" where none."""
    verdict = result.verdict
    if verdict is None or (verdict.measured is None and not verdict.never):
        return "", ""
    told = "reckoned, not measured here" if result.reckoned else f"{_way(verdict)} here"
    if result.outcome is Outcome.TOO_NOISY:
        told += ", but not to be relied on"
    if verdict.never or verdict.measured is None:
        return told, "never"
    return told, quantity(verdict.measured, verdict.unit or result.experiment.unit)


def _way(verdict: Verdict) -> str:
    """Return whether the number was counted or measured."""
    counted = verdict.decided_by and all(point.basis is Basis.COUNTED for point in verdict.decided_by)
    return "counted" if counted else "measured"


def interval(result: Result) -> str:
    """Return the interval the number stands for, or ""."""
    verdict = result.verdict
    if verdict is None or verdict.low is None or verdict.high is None or verdict.low == verdict.high:
        return ""
    unit = verdict.unit or result.experiment.unit
    low, high = quantity(verdict.low, unit), quantity(verdict.high, unit)
    number, _, name = low.rpartition(" ")
    if number and high.endswith(f" {name}"):
        low = number
    return "" if low == high else f"between {low} and {high}"


def said(result: Result) -> str:
    """Return the verdict's reason, or what went wrong, in words."""
    words = result.note if result.verdict is None else result.verdict.because
    return words or "Nothing was measured."


def circumstances(result: Result) -> list[tuple[str, str]]:
    """Return controls, device and duration, each with its name."""
    facts = result.facts
    found = [("controls", ", ".join(f"{name} {value}" for name, value in result.controls.items()))]
    if result.state != "skipped" and (facts.device_name or result.points):
        threads = f"{facts.threads} {'thread' if facts.threads == 1 else 'threads'}"
        found.append(("device", ", ".join(filter(None, (facts.device, facts.device_name, threads)))))
        found.append(("took", quantity(max(result.took_s, 0.0), "s", 2)))
    return [(name, words) for name, words in found if words]


def remarks(result: Result) -> list[str]:
    """Return what must be known to read the result: a busy machine, a cut, points not measured here."""
    facts, found = result.facts, []
    if facts.busy:
        why = str(facts.more.get("why_busy") or "").strip().rstrip(".")
        found.append(f"Another program disturbed the machine{f': {why}' if why else ''}.")
    if facts.cut_short:
        found.append(f"The run was cut short{f': {facts.why_cut}' if facts.why_cut else ''}.".replace("..", "."))
    if result.state == "skipped":
        found.append("It was not run.")
    return [*found, *result.figure.notes]


def elsewhere(result: Result) -> str | None:
    """Return the experiment that shows the same law on this machine, where this one cannot."""
    return result.experiment.sibling if result.outcome is Outcome.CANNOT_TEST else None


def command(result: Result) -> str:
    """Return the command that repeats one result."""
    given = [c for c in result.experiment.controls if result.controls.get(c.name, c.default) != c.default]
    changes = [f"--set {c.name}={result.controls[c.name]}" for c in given]
    return " ".join(["studyapp run", result.experiment.id, *changes])


def device(suite: Suite) -> str:
    """Return the name of the device the suite is about: the accelerator that was used, else the CPU."""
    named = [result.facts for result in suite.results if result.facts.device_name]
    return next((f.device_name for f in named if f.accelerated), named[0].device_name if named else "")


def when(suite: Suite, zone: tzinfo) -> str:
    """Return the day and time a suite began, in a zone."""
    local = instant_of(suite.started_at_ms).astimezone(zone)
    return f"{local.day} {local:%B %Y, %H:%M} {local.tzname() or ''}".rstrip()
