"""`run`: an experiment from the command line, with the same picture, words and numbers as on the full screen."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import experiment_names, words
from studyapp.cli.output import note
from studyapp.cli.results import print_result
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.predictions import Sure
    from studyapp.experiments.claim import Experiment
    from studyapp.experiments.protocol import Message
    from studyapp.plain.bench import Bench
    from studyapp.study.experimenting import Trial


@words("run", data=True)
@click.argument("experiment", required=False, shell_complete=experiment_names)
@click.option("--all", "everything", is_flag=True, help="Every experiment, one after another; ends with a table.")
@click.option("--daily", is_flag=True, help="Today's trial: one experiment a day, with numbers of its own.")
@click.option("--stale", is_flag=True, help="Again what another torch, driver or machine measured.")
@click.option("--set", "sets", multiple=True, metavar="NAME=VALUE", help="Change a control; may be repeated.")
@click.option("--device", metavar="D", help="auto, cpu, cuda, mps or xpu.")
@click.option("--host", metavar="H", help="Another machine, over ssh: box or user@box.")
@click.option("--predict", metavar="N", help="Your number, stored before the run, or never.")
@click.option("--sure", type=click.Choice(["guess", "fairly", "certain"]), help="How sure: x10, x2 or x1.25.")
@click.option("--why", is_flag=True, help="Then take the named cause away: does the reason survive?")
@click.option("--break", "broken", metavar="CONTROL", help="Search where along CONTROL the verdict flips.")
@click.option("--budget", type=click.FloatRange(1, 3600), metavar="S", help="Seconds for --break; 60.")
@click.option("--nproc", type=click.IntRange(1, 256), metavar="N", help="Processes on this host, by torchrun.")
@click.option("--nnodes", type=click.IntRange(1, 4096), metavar="N", help="Hosts; PET_* tells where they meet.")
@click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write a page, Markdown and JSON.")
@click.option("--record", is_flag=True, help="Keep what a real device measured as a recording.")
@click.pass_obj
def run_command(call: Call, /, **options: Any) -> int:
    """Run EXPERIMENT, or --all, on this machine.

    Shows its chart, its verdict, and how your prediction did. Ctrl-C ends it and keeps what was measured.
    """
    from studyapp.experiments.catalog import experiment, ids

    asked = Asked(**options)
    if asked.host is not None:
        call.measure_on(asked.host)
    if asked.everything:
        return _run_all(call, asked)
    if asked.stale:
        return _run_stale(call, asked)
    if asked.daily:
        return _run_daily(call, asked)
    if asked.experiment is None:
        raise UsageError("Which experiment?", f"Name one, or say --all. There are {', '.join(ids())}.")
    return _run_named(call, asked, experiment(asked.experiment))


@dataclass(frozen=True)
class Asked:
    """The options of `run`, as they were given."""

    experiment: str | None
    everything: bool
    daily: bool
    stale: bool
    sets: tuple[str, ...]
    device: str | None
    host: str | None
    predict: str | None
    sure: str | None
    why: bool
    broken: str | None
    """The control to break the claim along."""
    budget: float | None
    """Seconds for that."""
    nproc: int | None
    nnodes: int | None
    report: Path | None
    record: bool

    @property
    def predicts(self) -> bool:
        """Whether a number was given."""
        return self.predict is not None

    @property
    def joins(self) -> bool:
        """Whether processes or hosts are to talk to each other."""
        return bool(self.nproc or self.nnodes)

    @property
    def keeps(self) -> bool:
        """Whether something is to be written besides the record."""
        return self.report is not None or self.record


def _run_all(call: Call, asked: Asked) -> int:
    from studyapp.cli.suite import run_all
    from studyapp.experiments.catalog import ids

    for_one = asked.experiment or asked.sets or asked.predicts or asked.sure or asked.why or asked.joins
    if for_one or asked.broken or asked.budget:
        raise UsageError("--all runs every experiment at its own controls.", "Leave out what is for one.")
    return run_all(call, ids(), device=asked.device, report=asked.report, record=asked.record, ask=ask)


def _run_stale(call: Call, asked: Asked) -> int:
    from studyapp.cli.stale import run_stale

    for_one = asked.experiment or asked.sets or asked.predicts or asked.sure or asked.why or asked.joins
    if for_one or asked.broken or asked.budget or asked.keeps:
        raise UsageError("--stale runs what has expired, as it was run.", "Leave out what names another.")
    return run_stale(call, asked.device, ask)


def _run_daily(call: Call, asked: Asked) -> int:
    """Run the day's trial; the first time it ends in a verdict it is kept as the day's."""
    from studyapp.experiments.catalog import experiment
    from studyapp.study.fresh import of_the_day

    if asked.experiment or asked.sets:
        raise UsageError("--daily chooses the experiment and its numbers.", "Leave out what names another.")
    if asked.joins or asked.record or asked.broken or asked.budget:
        raise UsageError(
            "The day's trial is one run on one machine.",
            "Leave out --nproc, --nnodes, --record, --break and --budget, or name the experiment.",
        )
    with call.desk() as desk:
        name, controls = of_the_day(desk)
    return _run_one(call, asked, experiment(name), controls)


def _run_named(call: Call, asked: Asked, claim: Experiment) -> int:
    controls = claim.parse_controls(_pairs(asked.sets))
    if asked.budget and asked.broken is None:
        raise UsageError("--budget is the time of a search.", "Say with --break along which control.")
    if asked.broken is not None:
        from studyapp.cli.breaking import run_break
        from studyapp.study.breaking import BUDGET_S

        if asked.predicts or asked.why or asked.joins or asked.keeps:
            raise UsageError("--break makes many runs.", "It goes with --set, --device and --budget only.")
        budget_s = asked.budget or BUDGET_S
        return run_break(call, claim, controls, asked.broken, device=asked.device, budget_s=budget_s)
    if asked.sure and not asked.predicts:
        raise UsageError("--sure says how sure a prediction is.", "Give one with --predict N.")
    if asked.nnodes and asked.nproc is None:
        raise UsageError("--nnodes joins hosts.", "Say with --nproc N how many processes each of them runs.")
    return _run_one(call, asked, claim, controls)


def _run_one(call: Call, asked: Asked, claim: Experiment, controls: dict[str, Any]) -> int:
    from studyapp.cli.reports import check_folder
    from studyapp.core.predictions import Sure
    from studyapp.study.experimenting import Trial
    from studyapp.study.why import ablation_of

    prediction = (_number(asked.predict, claim), Sure(asked.sure or "fairly")) if asked.predicts else None
    if asked.why:
        ablation_of(claim, controls)
    if asked.report is not None:
        check_folder(asked.report)
    with call.desk() as desk:
        trial = Trial(
            *(desk, claim.id, controls),
            device=asked.device or call.settings.device,
            time_limit_s=call.settings.time_limit,
            ranks=(asked.nproc, asked.nnodes or 1),
        )
        trial.daily = asked.daily
        took_s, other = _conduct(call, trial, prediction, why=asked.why)
        call.refresh(desk, changed=False)
        zone = desk.clock().zone
    code = print_result(call, trial, other)
    if not asked.keeps:
        return code
    from studyapp.cli.suite import keep_one

    return max(code, keep_one(call, trial, took_s, report=asked.report, record=asked.record, zone=zone))


def _pairs(sets: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for entry in sets:
        name, equals, value = entry.partition("=")
        if not (name and equals):
            raise UsageError(f"--set {entry!r} names no value.", "Write it as --set name=value.")
        pairs[name] = value
    return pairs


def _number(text: str | None, claim: Experiment) -> float | None:
    if text is None:
        return None
    if text == "never":
        if claim.can_never:
            return None
        raise UsageError(f"{claim.id} always has a number, so never is no answer.", claim.question)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        unit = f" in {claim.unit}" if claim.unit else ""
        raise UsageError(f"--predict {text!r} is no number.", f"{claim.question} Give it{unit}.")
    return number


def _conduct(
    call: Call, trial: Trial, prediction: tuple[float | None, Sure] | None, *, why: bool
) -> tuple[float, Trial | None]:
    """Run a trial, and with `why` the one without its cause; return how long it took, and the other if it ran."""
    from studyapp.cli.doctor import install_command
    from studyapp.experiments.protocol import Done, Failed
    from studyapp.plain.bench import Bench
    from studyapp.study.why import ablated

    settings, other = call.settings, None
    with Bench(settings.worker_command) as bench:
        device = bench.choose_device(trial, settings.gpu, ask, note)
        if prediction is not None:
            trial.predict(*prediction, device=device)
        if call.plain and not call.json:
            note(f"Running, about {max(1, round(trial.experiment.usual_s))} s.")
        last = _watch(call, bench, trial)
        if why and trial.state == "done":
            other = ablated(trial)
            _watch(call, bench, other)
    if isinstance(last, Failed) and last.failure == "no_torch" and not trial.host:
        trial.hint = f"Install it: {install_command(settings.worker_command)}"
    return (last.took_s if isinstance(last, Done) else 0.0), other


def _watch(call: Call, bench: Bench, trial: Trial) -> Message:
    from studyapp.cli.progress import Progress

    progress = Progress(moving=not call.plain)
    try:
        return bench.conduct(trial, progress.hear)
    finally:
        progress.clear()


def ask(question: str) -> bool | None:
    """Ask on the terminal; None where there is none, or no answer came."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    while True:
        sys.stderr.write(f"{question} [y/n] ")
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer:
            return None
        if answer.strip().lower() in ("y", "yes", "n", "no"):
            return answer.strip().lower().startswith("y")
