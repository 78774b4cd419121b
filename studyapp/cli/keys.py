"""The list of every command of the full screen, with the key that reaches it."""

from __future__ import annotations

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import columns, print_data, say, spoken


@words("keys", data=True)
@click.pass_obj
def keys_command(call: Call) -> int:
    """List every command of the full screen with its keys.

    Any of them can have other keys: the table [keys] of the settings file takes lines such as "review.bury" = "v".
    """
    from studyapp.tui.keymap import all_commands, check_keys

    settings = call.settings
    check_keys(settings.keys, settings.config)
    commands = all_commands(settings.keys)
    if call.json:
        data = [
            {
                "id": command.id,
                "screen": command.screen,
                "keys": list(command.keys),
                "words": command.words,
                "own": command.id in settings.keys,
            }
            for command in commands
        ]
        print_data(data)
        return 0
    say(
        f'Keys of the full screen; your own go into the table [keys] of {settings.config}, as "review.bury" = "v".'
    )
    for screen in dict.fromkeys(command.screen for command in commands):
        say("", f"{screen}:" if call.plain else screen)
        here = [command for command in commands if command.screen == screen]
        if call.plain:  # an arrow is heard by its name
            say(*spoken([[f"{c.id}, {_heard(c.keys)}", c.words] for c in here], as_is=True))
        else:
            say(*columns([["  " + c.id, " ".join(c.shown), c.words] for c in here]))
    return 0


def _heard(keys: tuple[str, ...]) -> str:
    return " or ".join(key.replace("_", " ") for key in keys)
