"""The settings: `config` lists them, explains one, or writes one into the settings file."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import print_data, say, spoken
from studyapp.core.errors import StoreError, UsageError

if TYPE_CHECKING:
    from studyapp.study.setting_list import Setting

FROM_WHEN = {
    "rollover": "Today ends as it would have; it counts from the next day on.",
    "zone": "Days that are past stay what they were.",
    "goal": "It holds from today on.",
}
"""What a changed setting does to the days, by setting."""
COUNTED = {*FROM_WHEN, "streak", "new_minutes", "reviews_per_day", "release"}
"""Settings that the shell prompt's small file depends on."""


def _names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from studyapp.settings.values import PARSERS

    return [name for name in PARSERS if name.startswith(incomplete)]


@words("config", data=True)
@click.argument("name", required=False, shell_complete=_names)
@click.argument("value", nargs=-1)
@click.option("--default", is_flag=True, help="Take the setting out of the file, so that its default holds.")
@click.pass_obj
def config_command(call: Call, name: str | None, value: tuple[str, ...], default: bool) -> int:
    """List the settings, explain one, or set it.

    What is set is written into the settings file; comments and order in it stay.
    """
    from studyapp.study.setting_list import every_setting

    if default and (name is None or value):
        raise UsageError("--default takes one setting and no value.", "Such as: studyapp config theme --default.")
    if name is not None and (value or default):
        return _change(call, name, _as_text(name, value), default)
    found = every_setting(call.settings)
    if name is not None:
        found = [setting for setting in found if setting.name == name]
        if not found:
            from studyapp.study.configuring import require_known

            require_known(name)
    if call.json:
        print_data({"file": str(call.settings.config), "settings": [asdict(setting) for setting in found]})
    elif name is None:
        if call.plain:
            say(*_told(found))
        else:
            width = max(len(setting.name) for setting in found)
            say(*(f"{setting.name:{width}}  {setting.value or '-'}{_from(setting.source)}" for setting in found))
        say("", f"File: {call.settings.config}. `studyapp config NAME` explains one.")
    else:
        (setting,) = found
        if call.plain:
            say(*_told([setting]))
        else:
            say(f"{setting.name} = {setting.value or '-'}{_from(setting.source)}")
        say(*filter(None, (setting.words, f"It takes {setting.takes}." if setting.takes else "")))
        say(f"Default: {setting.default or ('none' if call.plain else '-')}.")
    return 0


def _from(source: str) -> str:
    return "" if source == "default" else f"  ({source})"


def _told(found: Sequence[Setting]) -> list[str]:
    """Return settings as sentences to be listened to."""
    sources = ("" if setting.source == "default" else f", from {setting.source}" for setting in found)
    rows = [[s.name, f"{s.value or 'none'}{source}"] for s, source in zip(found, sources, strict=True)]
    return spoken(rows, as_is=True)


def _as_text(name: str, value: tuple[str, ...]) -> str:
    """Several words are one value: `config goal 20 answers`; those of a command keep their own spaces."""
    if len(value) == 1:
        return value[0]
    return shlex.join(value) if name.endswith(("_command", "_python")) else " ".join(value)


def _change(call: Call, name: str, text: str, default: bool) -> int:
    from studyapp.study.configuring import set_setting, unset_setting

    before = call.settings
    if default:
        there = unset_setting(before.config, name)
        done = f"{name} is no longer set in" if there else f"{name} was not set in"
    else:
        set_setting(before.config, name, text)
        done = f"{name} = {text} is set in"
    if name in COUNTED:
        _count_anew(call)
    source = before.sources.get(name, "")
    stronger = source if source.startswith(("STUDYAPP_", "--")) else ""
    if call.json:
        print_data({"file": str(before.config), "name": name, "set": not default, "stronger": stronger or None})
        return 0
    say(f"{done} {before.config}.")
    if stronger:
        say(f"{stronger} is set too and wins over the file.")
    elif name in FROM_WHEN:
        say(FROM_WHEN[name])
    return 0


def _count_anew(call: Call) -> None:
    """Let the change be known from now on: when a day begins is kept in the store, what is due in a small file."""
    call.__dict__.pop("settings", None)
    if not call.settings.db.exists():
        return
    with contextlib.suppress(StoreError), call.desk() as desk:  # else it is seen at the next start
        call.refresh(desk, changed=True)
