"""`run --all`: every claim of the lesson, one after another in one worker, and what came of it."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp.cli.call import Call
from studyapp.cli.output import columns, named, note, plural, print_data, print_envelope, say
from studyapp.cli.suite_line import SuiteLine
from studyapp.core.errors import StudyError

if TYPE_CHECKING:
    from studyapp.core.verdicts import Facts
    from studyapp.experiments.protocol import Ready
    from studyapp.plain.bench import Ask, Bench
    from studyapp.study.desk import Desk
    from studyapp.study.experimenting import Trial
    from studyapp.study.suite import Result, Suite

NOTHING_RAN, SOME_FAILED, INTERRUPTED = 4, 1, 130


def run_all(
    call: Call, names: Sequence[str], *, device: str | None, report: Path | None, record: bool, ask: Ask
) -> int:
    """Run experiments at their own controls, print the table of verdicts, and return the exit code.

    Args:
        call: The call.
        names: Experiment ids, in order.
        device: As given, else the setting's.
        report: Folder for the report, or None.
        record: Whether to keep what was measured on a real device as a recording.
        ask: Asks about a GPU; None where nobody can answer.

    Raises:
        UsageError: If the report cannot be written there; nothing was run then.
    """
    from studyapp.cli.reports import check_folder
    from studyapp.experiments.protocol import Failed
    from studyapp.plain.bench import Bench

    if report is not None:
        check_folder(report)
    with call.desk() as desk, Bench(call.settings.worker_command) as bench:
        greeting = bench.greet()
        if isinstance(greeting, Failed):
            return _no_worker(call, greeting)
        evening = _Evening(call, desk, bench, greeting, names, device or call.settings.device, ask)
        suite = evening.spend()
        call.refresh(desk, changed=False)
        zone = desk.clock().zone
    code = _code(suite, evening.interrupted)
    _tell(call, suite, code)
    return max(code, _keep_all(call, suite, report, record=record, zone=zone))


def _keep_all(call: Call, suite: Suite, report: Path | None, *, record: bool, zone: tzinfo) -> int:
    from studyapp.cli.reports import write_report

    if report is not None and suite.results:
        note(f"Report: {write_report(report, suite, zone)}")
    return keep(suite, record_folder(call, report)) if record else 0


class _Evening:
    """One suite under way."""

    def __init__(
        self, call: Call, desk: Desk, bench: Bench, greeting: Ready, names: Sequence[str], device: str, ask: Ask
    ) -> None:
        from studyapp.core.verdicts import Facts

        self.call, self.desk, self.bench, self.greeting = call, desk, bench, greeting
        self.names, self.device, self.ask = names, device, ask
        self.results: list[Result] = []
        self.interrupted = False
        self.there: Sequence[Mapping[str, Any]] = greeting.devices
        self.why_cpu = greeting.why_cpu
        more = {"torch": greeting.torch, "why_cpu": greeting.why_cpu}
        self.machine: Facts = Facts("cpu", greeting.cpu, greeting.threads, greeting.cores, more=more)
        self.line = SuiteLine(names, moving=not call.plain)

    def spend(self) -> Suite:
        """Run them all, or as many as there is time for before Ctrl-C."""
        started_at_ms, begin = self.desk.clock().at_ms, time.monotonic()
        try:
            for name in self.names:
                self._try(name)
                if self.interrupted:
                    break
        except KeyboardInterrupt:  # between two runs; within one the bench ends it and keeps its points
            self.interrupted = True
        finally:
            self.line.clear()
        return suite_of(self.results, started_at_ms, time.monotonic() - begin, planned=len(self.names))

    def _try(self, name: str) -> None:
        from studyapp.study.experimenting import Trial
        from studyapp.study.needs import unmet
        from studyapp.study.suite import Result

        trial = Trial(self.desk, name, device=self.device, time_limit_s=self.call.settings.time_limit)
        if not self.results:
            self._choose(trial)
        trial.device = self.device
        lacking = unmet(trial.experiment, self.there, self.greeting.cores, self.why_cpu)
        if lacking:
            self._end(Result.skipped(trial, lacking, self.machine))
            return
        begin = time.monotonic()
        try:
            self.bench.conduct(trial, self.line.hear)
        except StudyError as error:  # a full disk: the picture is there, only the record is not
            trial.note = trial.note or error.message
            note(f"{name}: {error.message}")
        self.interrupted = trial.state == "cancelled"
        if trial.state == "starting" or (self.interrupted and not trial.points):
            return
        self._end(Result.of(trial, time.monotonic() - begin))

    def _choose(self, trial: Trial) -> None:
        """Settle once for all experiments where they run."""
        chosen = self.bench.choose_device(trial, self.call.settings.gpu, self.ask, note)
        self.device = trial.device
        if chosen == "cpu":
            if any(str(d.get("type")) != "cpu" for d in self.there):
                self.why_cpu = "the CPU was chosen"
            self.there = []

    def _end(self, result: Result) -> None:
        self.results.append(result)
        self.line.done(result)


def suite_of(
    results: Sequence[Result], started_at_ms: int, took_s: float, *, planned: int = 0, command: str = ""
) -> Suite:
    """Return the suite of some results on this machine.

    Args:
        results: What was tried.
        started_at_ms: When it began.
        took_s: How long it took.
        planned: How many were to be tried.
        command: What reproduces it; the whole lesson's when empty.
    """
    from studyapp.study.suite import Suite, fingerprint

    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    machine = fingerprint(results, system, platform.python_version())
    suite = Suite(tuple(results), started_at_ms, took_s, machine, planned or len(results))
    return replace(suite, command=command) if command else suite


def keep(suite: Suite, folder: Path) -> int:
    """Record what may be recorded, say what may not and why; return 1 where nothing may."""
    from studyapp.cli.reports import write_recording
    from studyapp.study.recording import record

    recording = record(suite)
    for name, why in recording.left_out:
        note(f"{name} is not recorded: {why}.")
    if not recording.results:
        note("Nothing was recorded.")
        return SOME_FAILED
    note(f"Recorded {plural(len(recording.results), 'run')}: {write_recording(folder, recording)}")
    return 0


def keep_one(call: Call, trial: Trial, took_s: float, *, report: Path | None, record: bool, zone: tzinfo) -> int:
    """Write the report of one trial, and its recording where that is asked for; return 0, or 1 where it failed.

    Args:
        call: The call.
        trial: The trial, ended.
        took_s: How long it ran.
        report: Folder for the report, or None.
        record: Whether to record it.
        zone: In which the date is told.
    """
    from studyapp.chart.page_words import command
    from studyapp.study.suite import Result

    result = Result.of(trial, took_s)
    suite = suite_of([result], trial.started_at_ms, took_s, command=f"{command(result)} --report DIR")
    return _keep_all(call, suite, report, record=record, zone=zone)


def record_folder(call: Call, report: Path | None) -> Path:
    """Return where recordings go: beside the report, else into the data folder."""
    return (report or call.settings.data_dir) / "reference"


def _no_worker(call: Call, failed: Any) -> int:
    from studyapp.cli.doctor import install_command

    why = failed.why or "The worker failed."
    hint = failed.hint or "`studyapp doctor` shows what the worker needs."
    if failed.failure == "no_torch":
        hint = f"Install it: {install_command(call.settings.worker_command)}"
    if call.json:
        print_envelope({"ok": False, "error": {"kind": "experiment", "message": why, "hint": hint}})
    else:
        note(why, hint)
    return NOTHING_RAN


def _code(suite: Suite, interrupted: bool) -> int:
    if interrupted:
        return INTERRUPTED
    failed = [result for result in suite.results if result.verdict is None]
    if failed and len(failed) == len(suite.results):
        return NOTHING_RAN
    return SOME_FAILED if failed else 0


def _tell(call: Call, suite: Suite, code: int) -> None:
    from studyapp.chart.page_words import summary

    failed = [result for result in suite.results if result.verdict is None]
    if call.json:
        data = suite.as_json()
        if code == 0:
            print_data(data)
            return
        kind = "cancelled" if code == INTERRUPTED else "experiment"
        print_envelope({"ok": False, "error": {"kind": kind, "message": summary(suite), "hint": ""}, "data": data})
        return
    if suite.results:
        rows = _table(suite, glyphs=not (call.settings.ascii or call.plain))
        say(*(named if call.plain else columns)(rows), "")
    say(summary(suite))
    note(*(f"{result.experiment.id} gave no result: {result.note or result.state}" for result in failed))


def _table(suite: Suite, *, glyphs: bool) -> list[list[str]]:
    from studyapp.chart.page_words import GLYPHS, WORDS, kind, measured

    rows = [["experiment", "verdict", "figure", "seconds"]]
    for result in suite.results:
        name = kind(result)
        rows.append(
            [
                result.experiment.id,
                f"{GLYPHS[name]} {WORDS[name]}" if glyphs else WORDS[name],
                measured(result)[1],
                f"{result.took_s:.1f}" if result.state != "skipped" else "-",
            ]
        )
    return rows
