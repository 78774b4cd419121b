"""A changed setting, taken up while the program runs: read anew from where each comes from, laid over the desk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from studyapp.settings import Settings, load
from studyapp.study.opening import options_from
from studyapp.study.setting_list import text_of

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

NEXT_START = frozenset(
    {"db", "lessons", "sync", "far_command", "ssh_command", "worker_command", "worker_host", "worker_python"}
)
"""Settings that a running program cannot take up: the store is open, the worker runs, lessons were brought in."""


def reloaded(settings: Settings, environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings as the file now has them, under the same flags.

    Raises:
        UsageError: If the file has something that cannot be.
    """
    flags = {name: text_of(name, settings) for name, source in settings.sources.items() if source.startswith("--")}
    flags["data_dir"] = str(settings.data_dir)
    new = load(flags, {**environ, "STUDYAPP_CONFIG": str(settings.config)})
    if settings.ascii and "ascii" not in {*settings.sources, *new.sources}:
        return replace(new, ascii=True)  # the locale asked for it, and it has not changed
    return new


def take_up(desk: Desk, settings: Settings) -> None:
    """Let an open desk go by other settings from now on; what is on screen stays as it was drawn."""
    from studyapp.study.day_start import kept_clock
    from studyapp.study.own import use_own

    desk.clock = kept_clock(desk.store, settings.clock)
    desk.options = options_from(settings)
    use_own(desk)
