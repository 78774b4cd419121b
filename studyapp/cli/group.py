"""click, taught three things: commands load when they are called, global options stand anywhere, errors advise."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable
from typing import Any

import click

from studyapp.cli.call import Call
from studyapp.cli.output import silence
from studyapp.settings.values import COLORS

SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
PIPE_CLOSED = 141
"""128 + SIGPIPE: what a shell reports of any program whose reader went away."""


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    call = context.ensure_object(Call)
    if value and parameter.name:
        call.flags[parameter.name] = "on" if value is True else str(value)


def _json(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    call = context.ensure_object(Call)
    call.json = call.json or value


def global_options() -> list[click.Option]:
    """Return the options that stand before or after any command."""
    keep: dict[str, Any] = {"callback": _keep, "expose_value": False}
    return [
        click.Option(["--data-dir"], metavar="DIR", help="Folder for the store, backups and status.", **keep),
        click.Option(["--db"], metavar="URL", help="The store: a path or sqlite:///PATH.", **keep),
        click.Option(["--now"], metavar="ISO", help="Freeze the clock, such as 2026-03-01T09:30.", **keep),
        click.Option(["--color"], type=click.Choice(COLORS), help="Colours to use.", **keep),
        click.Option(["--ascii"], is_flag=True, help="Draw with ASCII characters only.", **keep),
        click.Option(["--plain"], is_flag=True, help="Lines and words: no full screen, chart or columns.", **keep),
    ]


def json_option() -> click.Option:
    """Return `--json`, for commands that print data."""
    return click.Option(
        ["--json"], is_flag=True, callback=_json, expose_value=False, help="Print one JSON object."
    )


class _Help(click.Command):
    """Lists the command's own options before those that all commands share."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both lists."""
        shared = {option.name for option in global_options()}
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                (common if parameter.name in shared else own).append(record)
        for title, records in (("Options", own), ("Options for every command", common)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Words(_Help):
    """A command that takes the global options, and `--json` where it prints data."""

    def __init__(self, *args: Any, data: bool = False, **more: Any) -> None:
        more.setdefault("context_settings", SETTINGS)
        super().__init__(*args, **more)
        self.data = data
        self.params += [*([json_option()] if data else []), *global_options()]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; `--json` before a command that prints no data is refused."""
        call = ctx.ensure_object(Call)
        if call.json and not self.data:
            raise click.UsageError(f"{self.name} prints no data, so it has no --json.", ctx)
        call.prepare()
        return super().invoke(ctx)


class Queries(Words):
    """A command that takes a query, in which a minus before a term means not."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; one with a single minus is a term, unless it asks for help."""
        # a blank before it says nothing in a query, and keeps click from taking it for options
        return super().parse_args(ctx, [f" {arg}" if _TERM.match(arg) else arg for arg in args])


_TERM = re.compile(r"-(?!-|h\Z).")


def words(name: str, *, data: bool = False, cls: type[Words] = Words) -> Callable[[Callable[..., Any]], Words]:
    """Return a decorator that makes a function a command."""
    return click.command(name, cls=cls, data=data)


def experiment_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the experiments whose id begins so, for a shell's completion."""
    from studyapp.experiments.catalog import ids

    return [name for name in ids() if name.startswith(incomplete)]


class Lazy(_Help, click.Group):
    """A group whose commands live in modules that are imported when they are needed."""

    def __init__(self, *args: Any, places: dict[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.places = places
        """Module of each command, by name; the attribute bears the command's name."""
        self.params += [json_option(), *global_options()]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of a day with the program."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command's module and return the command."""
        place = self.places.get(cmd_name)
        if place is None:
            return None
        found = getattr(importlib.import_module(f"studyapp.cli.{place}"), f"{cmd_name.replace('-', '_')}_command")
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which ones are near."""
        if args and args[0] not in self.places and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.places, n=2, cutoff=0.5)
            advice = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"There is no command {args[0]!r}.{advice}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that went away ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # before click sees it and calls it a failure
            silence()
            raise click.exceptions.Exit(PIPE_CLOSED) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write commands first: they are what a newcomer looks for."""
        self.format_commands(ctx, formatter)
        _Help.format_options(self, ctx, formatter)
