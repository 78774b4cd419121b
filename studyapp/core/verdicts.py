"""What an experiment's points say about its claim: one of four outcomes, and why.

A claim's `judge(points, facts)` is pure. `decide` wraps it with the rules that hold for all claims: non-finite
points never decide, `holds` and `does_not_hold` only from points measured or counted here, a run cut short or
disturbed says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from studyapp.core.points import Point, finite, latest


class Outcome(str, Enum):
    """The four answers an experiment can give."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    TOO_NOISY = "too_noisy"
    CANNOT_TEST = "cannot_test"


OUTCOME_WORDS = {
    Outcome.HOLDS: "holds here",
    Outcome.DOES_NOT_HOLD: "does not hold here",
    Outcome.TOO_NOISY: "too noisy or too little to say",
    Outcome.CANNOT_TEST: "cannot be tested here",
}


@dataclass(frozen=True)
class Facts:
    """The circumstances of a run, as the worker reported them."""

    device: str = "cpu"
    """torch device type: cpu, cuda, mps, xpu."""
    device_name: str = ""
    """The device's own name, e.g. a CPU or GPU model."""
    threads: int = 1
    """Threads the worker used by default."""
    cores: int = 1
    """Cores this process is allowed (affinity and quota)."""
    controls: Mapping[str, Any] = field(default_factory=dict)
    """The controls the run was made with."""
    busy: bool = False
    """Whether another program disturbed the machine during the run."""
    cut_short: bool = False
    """Whether the run ended before its last point (deadline, cancel, memory)."""
    why_cut: str = ""
    """Why it was cut short, in words."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further facts: torch and driver versions, memory, whether it ran cold."""

    @property
    def accelerated(self) -> bool:
        """Whether the run was made on an accelerator."""
        return self.device != "cpu"

    @property
    def host(self) -> str:
        """The machine the run was made on; empty for the learner's own."""
        return str(self.more.get("host", ""))

    @property
    def place(self) -> str:
        """Device and machine as one word, e.g. "cpu" here, "cuda@box" there: what is compared with what."""
        return f"{self.device}@{self.host}" if self.host else self.device


@dataclass(frozen=True)
class Verdict:
    """An outcome with its reason and the number the learner predicted."""

    outcome: Outcome
    because: str
    """One or two plain sentences, computed from the points."""
    measured: float | None = None
    """The number the learner was asked for, in `unit`; None when there is none."""
    unit: str = ""
    low: float | None = None
    """Lower end of the interval the measured number stands for (a grid step, the spread)."""
    high: float | None = None
    """Upper end of that interval."""
    never: bool = False
    """Whether the answer is "never": no such x exists in the range tried (`measured` is then None)."""
    decided_by: tuple[Point, ...] = ()
    """The points the outcome rests on; they cap it by their basis."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields scripts may rely on."""
        return {
            "outcome": self.outcome.value,
            "measured": self.measured,
            "unit": self.unit,
            "because": self.because,
            "low": self.low,
            "high": self.high,
            "never": self.never,
        }


Judge = Callable[[Sequence[Point], Facts], Verdict]


def decide(judge: Judge, points: Sequence[Point], facts: Facts, *, timed: bool = True) -> Verdict:
    """Return the verdict that may be shown: the claim's own, under the rules all claims share.

    Args:
        judge: The claim's judge.
        points: All points of the run, in order of arrival; the last per (series, x) counts.
        facts: The circumstances of the run.
        timed: Whether the deciding points are timings, which a busy machine spoils; counts are not.
    """
    drawn = finite(latest(points))
    if not drawn:
        return Verdict(Outcome.TOO_NOISY, facts.why_cut or "Nothing finite was measured.")
    try:
        verdict = judge(drawn, facts)
    except (KeyError, IndexError, StopIteration, ZeroDivisionError, ValueError):
        # a judge reads the points it needs; a run cut short does not have them all
        why = facts.why_cut or "The run was cut short before the points that decide."
        return Verdict(Outcome.TOO_NOISY, why)
    return _cap(verdict, facts, timed)


def _cap(verdict: Verdict, facts: Facts, timed: bool) -> Verdict:
    if verdict.outcome not in (Outcome.HOLDS, Outcome.DOES_NOT_HOLD):
        return verdict

    def capped(outcome: Outcome, why: str) -> Verdict:
        return replace(verdict, outcome=outcome, because=f"{why} {verdict.because}".strip())

    if not verdict.decided_by:
        return capped(Outcome.TOO_NOISY, "No point decides it.")
    if not all(point.solid for point in verdict.decided_by):
        return capped(Outcome.CANNOT_TEST, "Mechanism shown on a stand-in, not on a real device.")
    if facts.cut_short:
        found = capped(Outcome.TOO_NOISY, f"Cut short ({facts.why_cut or 'the run was cut short'}).")
        # what was not reached may have decided otherwise, and "never" is not known before the last x
        return replace(found, measured=None, low=None, high=None, never=False)
    if timed and facts.busy:
        return capped(Outcome.TOO_NOISY, "Another program disturbed the machine.")
    if not all(point.settled for point in verdict.decided_by):
        return capped(Outcome.TOO_NOISY, "The timings did not settle.")
    return verdict
