"""`backup`: a checked copy of the store."""

from __future__ import annotations

from pathlib import Path

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import print_data, say
from studyapp.core.errors import StoreError, UsageError


@words("backup", data=True)
@click.argument("path", required=False)
@click.pass_obj
def backup_command(call: Call, path: str | None) -> int:
    """Make a checked copy of the store.

    PATH is a new file or a folder; without one, the data folder's backups.
    """
    settings = call.settings
    local = settings.clock().now.astimezone(settings.zone)
    name = f"study-{local:%Y%m%d-%H%M%S}.db"
    target = Path(path).expanduser().absolute() if path else settings.data_dir / "backups" / name
    if target.is_dir():
        target /= name
    if target.exists():
        raise UsageError(f"{target} exists already; it was left as it is.", "Name a new file.")
    with call.desk() as desk:
        if not path:
            _make_private(target.parent)
        desk.store.backup(target)
    size = target.stat().st_size
    if call.json:
        print_data({"path": target, "bytes": size})
    else:
        say(f"Copied to {target} ({size / 1e6:.1f} MB), and checked.")
    return 0


def _make_private(folder: Path) -> None:
    try:
        for place in (folder.parent, folder):  # one by one: parents made in passing would get the umask's mode
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}.", "Name a place with PATH.") from error
