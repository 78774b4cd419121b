"""The file of a challenge: what this machine measured, written for a friend, and read again as outside data.

It holds no code and no verdict: questions come from the reader's own catalog, and the verdict is computed anew
from the points, so that a file cannot say what was not measured.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp.core.days import instant_of
from studyapp.core.errors import StudyError, UsageError
from studyapp.core.points import Basis, Point, latest
from studyapp.core.verdicts import Facts, Outcome, decide
from studyapp.decks.clean import clean
from studyapp.experiments.catalog import experiment as look_up
from studyapp.study.challenging import Challenge, Riddle, prediction_from

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
    raw, data = _content(path)
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


def _content(path: Path) -> tuple[bytes, Any]:
    """Return a file of a sensible size, and what its JSON says."""
    try:
        mode, size = path.stat().st_mode, path.stat().st_size
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a pipe or a device may never end
            raise ChallengeError(f"{path} is no file.", "Name the file you were sent.")
        if size > LARGEST_BYTES:
            raise ChallengeError(f"{path} has {size} bytes: too long for a challenge.", "Ask for the file again.")
        raw = path.read_bytes()
        return raw, json.loads(raw)
    except OSError as error:
        raise ChallengeError(
            f"{path} cannot be read: {error.strerror}.", "Name the file you were sent."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ChallengeError(f"{path} is no challenge: it is not JSON.", "Ask for the file again.") from error


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
    return Riddle(experiment, controls, points, found, prediction_from(entry.get("mine")))


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
