"""`run --break`: search the setting at which a verdict flips, by runs that are all kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from studyapp.cli.call import Call
from studyapp.cli.output import note, print_data, print_envelope, say

if TYPE_CHECKING:
    from studyapp.experiments.claim import Experiment
    from studyapp.study.breaking import Breaking

EXIT_CODES = {"failed": 4, "cancelled": 130}


def run_break(
    call: Call, claim: Experiment, controls: dict[str, Any], name: str, *, device: str | None, budget_s: float
) -> int:
    """Search along a control until the verdict flips or the time is up.

    Args:
        call: This call.
        claim: The experiment.
        controls: All its controls, as they stand at the start.
        name: The control to walk along.
        device: Where to measure; the setting's when None.
        budget_s: Seconds for all runs together.
    """
    from studyapp.study.breaking import plan

    search = plan(claim, controls, name, budget_s)
    with call.desk() as desk:
        _search(call, desk, search, device or call.settings.device)
        call.refresh(desk, changed=False)
    code = EXIT_CODES.get(search.ended, 0)
    if call.json:
        data = search.as_json()
        if code == 0:
            print_data(data)
        else:
            kind = "experiment" if code == 4 else "cancelled"
            error = {"kind": kind, "message": search.note or search.sentence, "hint": ""}
            print_envelope({"ok": False, "error": error, "data": data})
        return code
    say(search.sentence)
    if search.flip is not None or search.ended == "no_flip":
        say(f"All runs are kept: `studyapp runs {claim.id}` lists them.")
    return code


def _search(call: Call, desk: Any, search: Breaking, device: str) -> None:
    from studyapp.cli.progress import Progress
    from studyapp.cli.trials import ask
    from studyapp.core.verdicts import OUTCOME_WORDS
    from studyapp.plain.bench import Bench
    from studyapp.plain.results import said
    from studyapp.study.breaking import told_by, trial_of
    from studyapp.study.lab import value_words

    settings, chosen = call.settings, ""
    with Bench(settings.worker_command) as bench:
        while (value := search.next()) is not None:
            trial = trial_of(desk, search, value, device=chosen or device, time_limit_s=settings.time_limit)
            if not chosen:
                bench.choose_device(trial, settings.gpu, ask, note)
                chosen = trial.device
            progress = Progress(moving=not call.plain)
            begun = time.monotonic()
            try:
                bench.conduct(trial, progress.hear)
            finally:
                progress.clear()
            if trial.state in ("failed", "cancelled"):
                search.stop(trial.state, trial.note)
                return
            search.take(told_by(trial, value, time.monotonic() - begun))
            if not call.json:
                words = trial.note if trial.verdict is None else OUTCOME_WORDS[trial.verdict.outcome]
                number = (
                    ""
                    if trial.verdict is None or trial.verdict.measured is None
                    else (f", {said(trial.verdict.measured, search.experiment.unit, ascii=settings.ascii)}")
                )
                note(f"{search.control.name} {value_words(value)}: {words}{number}")
