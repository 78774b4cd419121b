"""A challenge: a friend predicts this machine from a small file of recorded points, and sees who knew it better.

The file holds no code and no verdict: questions come from the reader's own catalog, and the verdict is computed
anew from the points, so that a file cannot say what was not measured. Everything in it is outside data.
"""

from __future__ import annotations

import hashlib
import json
import math
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp.core.days import instant_of
from studyapp.core.errors import StudyError, UsageError
from studyapp.core.points import Basis, Point, latest
from studyapp.core.predictions import Prediction, Score, Sure, score
from studyapp.core.verdicts import Facts, Outcome, Verdict, decide
from studyapp.decks.clean import clean
from studyapp.experiments.catalog import experiment as look_up
from studyapp.experiments.claim import Experiment

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun
    from studyapp.study.desk import Desk

FORMAT = 1
LARGEST_BYTES = 1_000_000
MOST_TRIALS = 12
MOST_POINTS = 500
"""Of one trial; the longest real run has below 100."""
LONGEST_WORDS = 120


class ChallengeError(UsageError):
    """The file is no challenge, or nothing in it can be used; the message says what and where."""


@dataclass(frozen=True)
class Riddle:
    """One measurement of the other machine that is to be predicted."""

    experiment: Experiment
    controls: Mapping[str, Any]
    points: Sequence[Point]
    verdict: Verdict
    theirs: Prediction | None
    """What the sender had predicted before measuring."""

    def score_of(self, told: Prediction) -> Score | None:
        """Return how far off a prediction is from what was measured there."""
        found = self.verdict
        return score(told, found.measured, found.low, found.high, never=found.never)


@dataclass(frozen=True)
class Challenge:
    """A friend's machine with what was measured on it."""

    uid: str
    sender: str
    machine: str
    """In words: processor or card, torch."""
    made_at: str
    riddles: tuple[Riddle, ...]
    left_out: tuple[str, ...]
    """What the file also had and could not be used, in sentences."""


@dataclass(frozen=True)
class Tally:
    """Who knew the machine better."""

    you: int
    they: int
    ties: int

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.you + self.they + self.ties:
            return "Nothing to compare: the sender had predicted none of these."
        ends = {True: "You knew it better", False: "They knew it better"}
        start = "Nobody knew it better" if self.you == self.they else ends[self.you > self.they]
        tied = f", {self.ties} alike" if self.ties else ""
        return f"{start}: closer in {self.you} of {self.you + self.they + self.ties}{tied}."


def write(desk: Desk, path: Path, sender: str, experiments: Sequence[str] = ()) -> int:
    """Write what this machine measured as a challenge; return how many measurements it has.

    Args:
        desk: The open desk.
        path: A new file.
        sender: What to call the learner in it.
        experiments: Which experiments; empty for the latest verdict of each, the last twelve.

    Raises:
        UsageError: If an experiment is unknown, nothing was measured yet, or the file cannot be written.
    """
    for name in experiments:
        look_up(name)
    runs = _latest_runs(desk, experiments)
    if not runs:
        raise UsageError(
            "Nothing was measured here yet that a friend could predict.", "Run some experiments first."
        )
    first = runs[0]
    data = {
        "studyapp_challenge": FORMAT,
        "from": sender,
        "machine": ", ".join(filter(None, (first.facts.device_name, f"{first.facts.cores} cores", _torch(first)))),
        "made_at": instant_of(desk.clock().at_ms).isoformat(timespec="seconds"),
        "trials": [_trial(desk, run) for run in runs],
    }
    if path.exists():
        raise UsageError(f"{path} exists already; it was left as it is.", "Name a new file.")
    try:
        path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "Name another place.") from error
    return len(runs)


def _torch(run: StoredRun) -> str:
    version = run.facts.more.get("torch")
    return f"torch {version}" if version else ""


def _latest_runs(desk: Desk, wanted: Sequence[str]) -> list[StoredRun]:
    found: dict[str, StoredRun] = {}
    for run in desk.store.runs():
        told = run.verdict is not None and run.verdict.outcome in (Outcome.HOLDS, Outcome.DOES_NOT_HOLD)
        known = not wanted or run.experiment in wanted
        if told and known and run.state == "done" and not run.facts.host:
            found.setdefault(run.experiment, run)
    return list(found.values())[:MOST_TRIALS]


def _trial(desk: Desk, run: StoredRun) -> dict[str, Any]:
    told = desk.store.prediction_of(run.uid)
    facts = asdict(run.facts)
    facts["more"] = {}  # paths, names of neighbours and the like are nobody's business
    mine = None if told is None else {"value": told.prediction.value, "sure": told.prediction.sure.value}
    points = [point.as_json() for point in latest(desk.store.run_points(run.uid))]
    return {"experiment": run.experiment, "controls": run.controls, "facts": facts, "points": points, "mine": mine}


def read(path: Path) -> Challenge:
    """Return a challenge from a file.

    Raises:
        ChallengeError: If it cannot be read, is no challenge, or holds nothing that can be predicted here.
    """
    try:
        mode, size = path.stat().st_mode, path.stat().st_size
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a pipe or a device may never end
            raise ChallengeError(f"{path} is no file.", "Name the file you were sent.")
        if size > LARGEST_BYTES:
            raise ChallengeError(f"{path} has {size} bytes: too long for a challenge.", "Ask for the file again.")
        raw = path.read_bytes()
        data = json.loads(raw)
    except OSError as error:
        raise ChallengeError(
            f"{path} cannot be read: {error.strerror}.", "Name the file you were sent."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ChallengeError(f"{path} is no challenge: it is not JSON.", "Ask for the file again.") from error
    if not isinstance(data, Mapping) or "studyapp_challenge" not in data:
        raise ChallengeError(f"{path} is no challenge.", "`studyapp challenge export FILE` writes one.")
    if data["studyapp_challenge"] != FORMAT:
        kind = _words(data["studyapp_challenge"])
        raise ChallengeError(f"{path} is a challenge of format {kind}, this program knows {FORMAT}.", "Update it.")
    riddles, left_out = _riddles(data.get("trials"))
    if not riddles:
        why = f" {left_out[0]}" if left_out else ""
        raise ChallengeError(f"{path} holds nothing that can be predicted.{why}", "Ask for the file again.")
    return Challenge(
        uid=hashlib.sha256(raw).hexdigest()[:32],
        sender=_words(data.get("from")) or "a friend",
        machine=_words(data.get("machine")) or "an unnamed machine",
        made_at=_words(data.get("made_at"))[:10],
        riddles=tuple(riddles),
        left_out=tuple(left_out),
    )


def _words(found: Any) -> str:
    return " ".join(clean(str(found if found is not None else "")).split())[:LONGEST_WORDS]


def _riddles(trials: Any) -> tuple[list[Riddle], list[str]]:
    if not isinstance(trials, list):
        return [], ["It has no list of trials."]
    found = [_riddle_or_why(entry) for entry in trials[:MOST_TRIALS]]
    riddles = [entry for entry in found if isinstance(entry, Riddle)]
    left_out = [f"Trial {n}: {entry}" for n, entry in enumerate(found, start=1) if isinstance(entry, str)]
    if len(trials) > MOST_TRIALS:
        left_out.append(f"It has {len(trials)} trials; the first {MOST_TRIALS} are used.")
    return riddles, left_out


def _riddle_or_why(entry: Any) -> Riddle | str:
    try:
        return _riddle(entry)
    except (StudyError, ValueError) as error:
        return _words(getattr(error, "message", error))


def _riddle(entry: Any) -> Riddle:
    if not isinstance(entry, Mapping):
        raise ValueError("it is not an object.")
    experiment = look_up(_words(entry.get("experiment")))
    raw = entry.get("controls", {})
    controls = experiment.parse_controls(
        {_words(k): v for k, v in dict(raw).items()} if isinstance(raw, Mapping) else {}
    )
    points = _points(entry.get("points"))
    facts = _facts(entry.get("facts"), controls)
    try:
        found = decide(experiment.judge, points, facts, timed=experiment.timed)
    except Exception as error:  # a judge meets points that no run of ours makes
        raise ValueError("its points give no verdict.") from error
    if found.outcome not in (Outcome.HOLDS, Outcome.DOES_NOT_HOLD) or (found.measured is None and not found.never):
        raise ValueError("its points give no verdict.")
    return Riddle(experiment, controls, points, found, _told(entry.get("mine")))


def _points(found: Any) -> list[Point]:
    if not isinstance(found, list) or not found:
        raise ValueError("it has no points.")
    if len(found) > MOST_POINTS:
        raise ValueError(f"it has {len(found)} points; {MOST_POINTS} at most.")
    points = []
    for entry in found:
        if not isinstance(entry, Mapping):
            raise ValueError("a point of it is no object.")
        point = Point.from_json(entry)
        points.append(replace(point, series=_words(point.series)))
    if not any(point.basis in (Basis.MEASURED, Basis.COUNTED) for point in points):
        raise ValueError("none of its points was measured or counted.")
    return points


def _facts(found: Any, controls: Mapping[str, Any]) -> Facts:
    told: Mapping[str, Any] = found if isinstance(found, Mapping) else {}

    def whole(name: str) -> int:
        entry = told.get(name)
        return entry if isinstance(entry, int) and 0 < entry < 100_000 else 1

    return Facts(
        device=_words(told.get("device")) or "cpu",
        device_name=_words(told.get("device_name")),
        threads=whole("threads"),
        cores=whole("cores"),
        controls=dict(controls),
        busy=bool(told.get("busy")),
        cut_short=bool(told.get("cut_short")),
    )


def _told(found: Any) -> Prediction | None:
    if not isinstance(found, Mapping):
        return None
    value = found.get("value")
    if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0):
        return None
    try:
        return Prediction(None if value is None else float(value), Sure(str(found.get("sure", "fairly"))))
    except ValueError:
        return None


def tally(challenge: Challenge, answers: Mapping[str, Prediction]) -> Tally:
    """Return who was closer how often, over the trials that both predicted.

    Args:
        challenge: The challenge.
        answers: The reader's predictions by experiment id.
    """
    you = they = ties = 0
    for riddle in challenge.riddles:
        told = answers.get(riddle.experiment.id)
        if told is None or riddle.theirs is None:
            continue
        mine, theirs = _off(riddle.score_of(told)), _off(riddle.score_of(riddle.theirs))
        you, they, ties = you + (mine < theirs), they + (theirs < mine), ties + (mine == theirs)
    return Tally(you, they, ties)


def _off(found: Score | None) -> float:
    return math.inf if found is None or found.factor is None else found.factor


def answered(desk: Desk, challenge: Challenge) -> dict[str, Prediction]:
    """Return what was predicted for this challenge before: a second look at a number is no prediction."""
    kept = desk.store.challenge_answers(challenge.uid)
    found: dict[str, Prediction] = {}
    for name, entry in (kept or {}).items():
        told = _told(entry)
        if told is not None:
            found[name] = told
    return found


def keep(desk: Desk, challenge: Challenge, answers: Mapping[str, Prediction]) -> None:
    """Store the reader's predictions with what was measured.

    Raises:
        StoreError: If they cannot be stored.
    """
    content = {"sender": challenge.sender, "machine": challenge.machine, "made_at": challenge.made_at}
    told = {name: {"value": p.value, "sure": p.sure.value} for name, p in answers.items()}
    desk.store.keep_challenge(challenge.uid, challenge.sender, content, told, at_ms=desk.clock().at_ms)
