"""`runs`: the stored runs of an experiment: listed, two compared, or all on a map of two controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from studyapp.cli.call import Call
from studyapp.cli.group import experiment_names, words
from studyapp.cli.output import columns, named, print_data, say
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.figures import Figure
    from studyapp.study.desk import Desk
    from studyapp.study.run_list import Listed


@words("runs", data=True)
@click.argument("experiment", shell_complete=experiment_names)
@click.option("--compare", nargs=2, metavar="A B", help="Two of them in one chart, by number or id.")
@click.option("--map", "over", nargs=2, metavar="X Y", help="Verdicts on this machine over two controls.")
@click.pass_obj
def runs_command(
    call: Call, experiment: str, compare: tuple[str, str] | None, over: tuple[str, str] | None
) -> int:
    """List the stored runs of EXPERIMENT, the latest first.

    Two of them are compared with --compare, and --map draws where the claim holds.
    """
    if compare and over:
        raise UsageError("--compare and --map are two pictures.", "Ask for one at a time.")
    with call.desk() as desk:
        if compare:
            return _compare(call, desk, experiment, *compare)
        if over:
            return _map(call, desk, experiment, *over)
        return _list(call, desk, experiment)


def _list(call: Call, desk: Desk, experiment: str) -> int:
    from studyapp.experiments.catalog import experiment as look_up
    from studyapp.study.run_list import listed_json, runs_of

    listed = runs_of(desk, experiment)
    if call.json:
        print_data({"experiment": experiment, "runs": [listed_json(one) for one in listed]})
        return 0
    if not listed:
        say(f"{experiment} has no run with a verdict yet. Make one with `studyapp run {experiment}`.")
        return 0
    unit = look_up(experiment).unit
    head = ["run" if call.plain else "", "when", "on", "verdict", "measured", "controls"]
    rows = [head, *(_row(one, unit, ascii=call.settings.ascii) for one in listed)]
    say(*(named(rows) if call.plain else columns(rows)))
    if len(listed) > 1:
        say("", f"Compare two of them: `studyapp runs {experiment} --compare 2 1`.")
    return 0


def _row(one: Listed, unit: str, *, ascii: bool) -> list[str]:  # noqa: A002
    from studyapp.core.verdicts import OUTCOME_WORDS
    from studyapp.plain.results import said
    from studyapp.study.lab import control_words

    verdict = one.run.verdict
    assert verdict is not None  # only judged runs are listed
    number = said(verdict.measured, unit, ascii=ascii) if verdict.measured is not None or verdict.never else ""
    measured = f"{number}, reckoned" if one.reckoned and number else number
    # "here" would be untrue of another machine's run
    fate = OUTCOME_WORDS[verdict.outcome].removesuffix(" here")
    return [str(one.number), one.day, one.place, fate, measured, control_words(one.run.controls)]


def _compare(call: Call, desk: Desk, experiment: str, first: str, second: str) -> int:
    from studyapp.study.comparing import compare
    from studyapp.study.run_list import pick, runs_of

    listed = runs_of(desk, experiment)
    found = compare(pick(listed, first), pick(listed, second))
    if call.json:
        print_data({"experiment": experiment, **found.as_json()})
        return 0
    _show(call, found.figure)
    return 0


def _show(call: Call, figure: Figure) -> None:
    """Print a figure: a chart with its sentence, or words alone with `--plain`."""
    from studyapp.chart import render_text, table, table_words
    from studyapp.cli.results import picture_of

    ascii_only = call.settings.ascii
    if call.plain:
        say(*render_text(figure, ascii=ascii_only), "", *table_words(table(figure), ascii=ascii_only))
        return
    say(figure.title, f"On {figure.device}.")
    picture_of(call, figure)
    say(figure.sentence, *figure.notes)


def _map(call: Call, desk: Desk, experiment: str, x: str, y: str) -> int:
    from studyapp.chart.mapping import map_lines, map_words
    from studyapp.study.mapping import map_of

    found = map_of(desk, experiment, x, y)
    if call.json:
        print_data(found.as_json())
        return 0
    if not call.plain:
        say(*map_lines(found, ascii=call.settings.ascii), "")
    say(*map_words(found, table=call.plain))
    return 0
