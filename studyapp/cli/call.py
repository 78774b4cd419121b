"""One call of the program: the global options as given, the settings they lead to, and the open desk."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from studyapp.cli.output import note, only_ascii, shows_utf8
from studyapp.core.errors import UsageError
from studyapp.settings import Settings, load

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


@dataclass
class Call:
    """What the commands receive."""

    flags: dict[str, str] = field(default_factory=dict)
    """Global options that were given, by setting."""
    json: bool = False

    @cached_property
    def settings(self) -> Settings:
        """The settings in force; ASCII where the locale says that nothing else can be shown.

        Raises:
            UsageError: If a setting has a value it cannot take.
        """
        settings = load(self.flags)
        if "ascii" not in settings.sources and locale_trouble():
            settings = replace(settings, ascii=True)
        return settings

    @property
    def plain(self) -> bool:
        """Whether what is printed will be listened to: asked for, or on a terminal that can do no more."""
        return self.settings.plain or (sys.stdout.isatty() and dumb())

    def measure_on(self, host: str) -> None:
        """Let experiments run on another machine for this call.

        Raises:
            UsageError: If that is no host.
        """
        from studyapp.experiments.carrier import HOST

        if not HOST.fullmatch(host):
            raise UsageError(f"--host {host!r} is no host.", "Write it like box or user@box.")
        self.flags["worker_host"] = host
        self.__dict__.pop("settings", None)

    def prepare(self) -> None:
        """Make the output what the settings ask for; a wrong setting is said before anything is done.

        Raises:
            UsageError: If a setting has a value it cannot take.
        """
        if self.settings.ascii:
            only_ascii()

    @contextlib.contextmanager
    def desk(self) -> Iterator[Desk]:
        """Open the desk, and close it at the end.

        Raises:
            StoreError: If the store cannot be opened; nothing was written.
        """
        from studyapp.study.opening import open_desk_from

        with open_desk_from(self.settings) as desk:
            gc.freeze()
            gc.enable()  # off since the start: what start-up made lives on
            note(*desk.notices())
            yield desk

    def refresh(self, desk: Desk, *, changed: bool, looked_at: bool = True) -> None:
        """Bring the status file up to date; a look with a frozen clock leaves it alone."""
        if changed or self.settings.now is None:
            from studyapp.study.today import write_status

            write_status(desk, looked_at=looked_at)


def dumb() -> bool:
    """Return whether the terminal says of itself that it can only write one line after the other."""
    return os.environ.get("TERM", "") in ("", "dumb", "unknown")


def locale_trouble() -> str:
    """Return what keeps UTF-8 from being shown, in a few words, or "".

    Python makes UTF-8 of a C locale that nobody chose; one that was chosen by name is believed.
    """
    for stream, name in ((sys.stdout, "output"), (sys.stderr, "error output")):
        if not shows_utf8(stream):
            return f"standard {name} is encoded as {stream.encoding}"
    for variable in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = os.environ.get(variable, "")
        if not value:
            continue
        charset = value.partition(".")[2].partition("@")[0].replace("-", "").lower()
        deliberate = variable == "LC_ALL" and value in ("C", "POSIX")
        return f"{variable} is {value}" if deliberate or (charset and charset != "utf8") else ""
    return ""
