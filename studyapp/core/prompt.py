"""What the small status file says about an instant. Imports nothing: the shell prompt pays for every import.

`studyapp.study.today` writes the file after every answer: the counts of the next days with the instants at which
those days begin, so that a reader needs no store, no time zone and no scheduler.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def day_now(status: "Mapping[str, Any]", now_ms: int) -> "Mapping[str, Any] | None":
    """Return the entry of `status["days"]` that `now_ms` falls into, the last when all are past, or None."""
    current = None
    for day in status.get("days") or ():
        if day["starts_ms"] <= now_ms or current is None:
            current = day
    return current


def streak_now(status: "Mapping[str, Any]", now_ms: int, answered: bool) -> int:
    """Return the streak at this instant, 0 where it is switched off.

    Args:
        status: What was written last, today or on an earlier day.
        now_ms: The instant, UTC milliseconds.
        answered: Whether a card was answered since the status was written.
    """
    day, run = day_now(status, now_ms), status.get("streak") or {}
    if day is None or day["streak"] is None:
        return 0
    counted = day is status["days"][0] and run.get("active_today")
    return int(day["streak"]) + bool(answered and run.get("one_answer") and not counted)


def progress_now(status: "Mapping[str, Any]", now_ms: int) -> "tuple[int, int]":
    """Return how many answers the day of this instant has, and how many it has with those still due.

    Args:
        status: What was written last, today or on an earlier day.
        now_ms: The instant, UTC milliseconds.
    """
    day = day_now(status, now_ms)
    if day is None:
        return 0, 0
    done = int(status.get("done_today", 0)) if day is status["days"][0] else 0
    return done, done + int(day["review"] + day["new"] + day["relearning"])


def status_line(found: "Mapping[str, Any]") -> str:
    """Return the line of a shell prompt for a `summary`; without the streak where that is switched off."""
    length = found["streak"]
    days = "" if length is None else f", {length} day{'' if length == 1 else 's'}"
    return f"{found['due']} due{days}"


def prompt_file(environ: "Mapping[str, str]", platform: str) -> str:
    """Return the path of the lines that a shell reads by itself.

    In the session's own folder in memory where there is one: a home on a network that hangs must not freeze a
    prompt. A data folder of the learner's choosing keeps its own.
    """
    from studyapp.core.places import data_dir

    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and not environ.get("STUDYAPP_DATA_DIR"):
        return runtime + "/studyapp/prompt"
    return data_dir(environ, platform) + "/prompt"


def prompt_lines(status: "Mapping[str, Any]") -> str:
    """Return the file for the shell: a line per day with its start (Unix seconds), cards due, and streak or -.

    The last line that has begun holds; a shell needs `read` and a comparison, nothing else.
    """
    lines = []
    for day in status.get("days") or ():
        due = day["review"] + day["new"] + day["relearning"]
        streak = "-" if day["streak"] is None else day["streak"]
        lines.append(f"{day['starts_ms'] // 1000} {due} {streak}\n")
    return "".join(lines)


def summary(status: "Mapping[str, Any]", now_ms: int) -> "dict[str, Any] | None":
    """Return due, review, new, relearning, streak and study_day (ISO) for this instant, or None without days."""
    day = day_now(status, now_ms)
    if day is None:
        return None
    return {
        "due": day["review"] + day["new"] + day["relearning"],
        "review": day["review"],
        "new": day["new"],
        "relearning": day["relearning"],
        "streak": day["streak"],
        "study_day": day["iso"],
    }
