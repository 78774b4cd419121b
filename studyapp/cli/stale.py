"""`run --stale`: make again what was measured with another torch, driver or machine, and say what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studyapp.cli.call import Call
from studyapp.cli.output import note, plural, print_data, say
from studyapp.core.errors import StudyError
from studyapp.core.verdicts import OUTCOME_WORDS

if TYPE_CHECKING:
    from studyapp.plain.bench import Ask, Bench
    from studyapp.study.desk import Desk
    from studyapp.study.experimenting import Trial
    from studyapp.study.expiring import Expired

NOTHING_RAN, SOME_FAILED, INTERRUPTED = 4, 1, 130


def run_stale(call: Call, device: str | None, ask: Ask) -> int:
    """Run every expired trial once more, at its controls and on its kind of device; return the exit code.

    Args:
        call: The call.
        device: Only those of this device type, where it is named.
        ask: Asks about a GPU; None where nobody can answer.
    """
    from studyapp.plain.bench import Bench
    from studyapp.study.expiring import expired_runs

    with call.desk() as desk:
        expired = expired_runs(desk)
        expired = [one for one in expired if device in (None, "auto", one.run.facts.device)]
        done: list[tuple[Expired, Trial]] = []
        if expired:
            with Bench(call.settings.worker_command) as bench:
                done = _all(call, desk, bench, expired, ask)
            call.refresh(desk, changed=True)
    if call.json:
        print_data([_fields(one, trial) for one, trial in done])
    elif not expired:
        say("No run has expired.")
    failed = sum(trial.verdict is None for _, trial in done)
    if any(trial.state == "cancelled" for _, trial in done):
        return INTERRUPTED
    return NOTHING_RAN if failed and failed == len(done) else SOME_FAILED if failed else 0


def _all(call: Call, desk: Desk, bench: Bench, expired: list[Expired], ask: Ask) -> list[tuple[Expired, Trial]]:
    from studyapp.study.experimenting import Trial

    done = []
    for one in expired:
        try:
            trial = Trial(desk, one.run.experiment, one.run.controls, device=one.run.facts.device)
            bench.choose_device(trial, call.settings.gpu, ask, note)
        except StudyError as error:  # an experiment or a control of another version
            note(f"{one.run.experiment} is left out: {error.message}")
            continue
        bench.conduct(trial, lambda message: None)
        done.append((one, trial))
        if not call.json:
            say(_line(one, trial))
        if trial.state == "cancelled":
            break
    return done


def _line(one: Expired, trial: Trial) -> str:
    before = OUTCOME_WORDS[one.run.verdict.outcome] if one.run.verdict else "no verdict"
    if trial.verdict is None:
        return f"{trial.experiment.id}: no verdict now ({trial.note}); before, {one.why}: {before}."
    now = OUTCOME_WORDS[trial.verdict.outcome]
    words = f"{trial.experiment.id}: {now}, as before." if now == before else ""
    words = words or f"{trial.experiment.id}: {now}; before, {one.why}: {before}."
    back = len(trial.went_stale)
    return f"{words} {plural(back, 'card')} due again." if back else words


def _fields(one: Expired, trial: Trial) -> dict[str, Any]:
    return {
        "experiment": trial.experiment.id,
        "controls": trial.controls,
        "device": trial.facts.device,
        "why": one.why,
        "before": one.run.verdict.as_json() if one.run.verdict else None,
        "verdict": trial.verdict.as_json() if trial.verdict else None,
        "state": trial.state,
        "due_again": trial.went_stale,
    }
