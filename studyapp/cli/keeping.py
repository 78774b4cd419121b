"""`backup` and `restore`: checked copies of the store, and bringing one back."""

from __future__ import annotations

from pathlib import Path

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import columns, named, plural, print_data, say
from studyapp.core.errors import UsageError


@words("backup", data=True)
@click.argument("path", required=False)
@click.pass_obj
def backup_command(call: Call, path: str | None) -> int:
    """Make a checked copy of the store.

    PATH is a new file or a folder; without one, the folder `backups` beside the store.
    """
    settings = call.settings
    local = settings.clock().now.astimezone(settings.zone)
    target = Path(path).expanduser().absolute() if path else None
    if target is not None and target.is_dir():
        target /= f"{settings.db.stem}-{local:%Y%m%d-%H%M%S}.db"
    if target is not None and target.exists():
        raise UsageError(f"{target} exists already; it was left as it is.", "Name a new file.")
    with call.desk() as desk:
        if target is None:
            from studyapp.study.backing_up import make_copy

            target = make_copy(desk)
        else:
            desk.store.backup(target)
    size = target.stat().st_size
    if call.json:
        print_data({"path": target, "bytes": size})
    else:
        say(f"Copied to {target} ({size / 1e6:.1f} MB), and checked.")
    return 0


@words("restore", data=True)
@click.argument("file", required=False)
@click.pass_obj
def restore_command(call: Call, file: str | None) -> int:
    """Bring back a copy of the store, or list the copies.

    FILE is one of them, by name or path. It is checked first, and what is here now is copied before it goes. The
    store counts as another device from then on; `studyapp merge` can still take over what was answered since.
    """
    from studyapp.study.backing_up import copies, folder_of, restore
    from studyapp.study.rebuilding import present_policy

    settings = call.settings
    if file is None:
        return _list(call)
    named = folder_of(settings.db) / file
    source = named if named.is_file() else Path(file).expanduser().absolute()
    if not source.is_file():
        latest = next((copy.path.name for copy in copies(settings.db)), "")
        hint = f"The latest copy is {latest}." if latest else "There is no copy yet; `studyapp backup` makes one."
        raise UsageError(f"There is no copy {file}.", hint)
    moment = settings.clock()
    done = restore(
        settings.db,
        source,
        now_ms=moment.at_ms,
        local=moment.now.astimezone(settings.zone),
        policy_of=present_policy(settings.retention, settings.fuzz),
    )
    with call.desk() as desk:
        call.refresh(desk, changed=True)
    if call.json:
        print_data({"restored": source, "answers": done.answers, "cards": done.cards, "kept": done.kept})
        return 0
    say(f"Brought back {source}: {plural(done.answers, 'answer')}, {plural(done.cards, 'card')}.")
    if done.different:
        say(f"{plural(done.different, 'card')} did not agree with the log and were put right.")
    if done.kept is not None:
        say(f"What was here before is in {done.kept}; `studyapp merge` takes over what was answered since.")
    return 0


def _list(call: Call) -> int:
    from studyapp.study.backing_up import copies

    found = copies(call.settings.db)
    if call.json:
        entries = [
            {"path": copy.path, "made": copy.made.replace(tzinfo=None), "why": copy.why, "bytes": copy.bytes}
            for copy in found
        ]
        print_data({"copies": entries})
    elif found:
        rows = [
            [
                copy.path.name,
                f"{copy.made.day} {copy.made:%b %Y %H:%M}",
                f"{copy.bytes / 1e6:.1f} MB",
                copy.why or "by hand",
            ]
            for copy in found
        ]
        head = ["", "", "", ""]
        say(*(named([head, *rows]) if call.plain else columns(rows)))
        say("`studyapp restore NAME` brings one back.")
    else:
        say("There is no copy yet; `studyapp backup` makes one.")
    return 0
