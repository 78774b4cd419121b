"""Flags, STUDYAPP_* and the TOML file folded into one frozen `Settings`; the only reader of the wall clock.

Every setting has one name. The later source wins: TOML file, environment, flag. Unknown names in the TOML file
are errors that name the file.
"""

from __future__ import annotations

import os
import sys
import time as _time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

from studyapp.core.days import Moment
from studyapp.core.errors import UsageError
from studyapp.core.places import config_file, data_dir
from studyapp.settings.files import read_keys, read_toml
from studyapp.settings.values import PARSERS

GUESSES = ("UTC", "Etc/UTC", "Universal", "Zulu")
"""Names of the zone that a server is set to when nobody chose one."""


@dataclass(frozen=True, eq=False, repr=False)  # nobody compares or prints them: 0.4 ms of every start
class Settings:
    """Everything that can be set, with its default."""

    data_dir: Path
    """Private folder for the store, the status file and backups."""
    config: Path
    """The TOML file, whether it exists or not."""
    db: Path
    """The SQLite store."""
    now: datetime | None = None
    """A frozen wall clock (UTC) for tests and scripts; None = the real one."""
    zone: tzinfo = timezone.utc
    """The learner's zone, not the box's."""
    zone_name: str = "UTC"
    rollover: time = time(4, 0)
    """When a study day begins, in the learner's zone."""
    retention: float = 0.90
    """Desired retention, 0.70 to 0.97."""
    retention_of: Mapping[str, float] = field(default_factory=dict)
    """Desired retention of single modules, by module id."""
    new_minutes: float = 10.0
    """Minutes a day for new cards; about two minutes each."""
    reviews_per_day: int = 200
    """Reviews a day at the most; what is over it waits for the next days."""
    goal: str = "1 answer"
    """What makes a day count: "1 answer", "20 answers", "10 minutes" or "all due"."""
    streak: bool = True
    """Whether a streak is counted and shown."""
    learn_ahead_minutes: float = 20.0
    """How early a learning step may come so that a sitting can end."""
    timebox_minutes: float = 0.0
    """After how many minutes a sitting offers to end; 0 = never."""
    leech: str = "tag"
    """What becomes of a card forgotten too often: "tag" names it, "suspend" also puts it away."""
    buttons: int = 4
    """Grades to choose from: 4, or 2 (Again and Good)."""
    fuzz: bool = True
    """Spread due days a little, repeatably."""
    release: str = "section"
    """"section": cards enter when their section was read; "all": at once."""
    typed: bool = False
    """Type the answer before revealing it."""
    theme: str = "auto"
    """Graphite is dark, paper light, sixteen the terminal's own colours; auto looks at the terminal."""
    color: str = "auto"
    """How many colours there are; auto looks at NO_COLOR, TERM and COLORTERM."""
    ascii: bool = False
    """Draw with ASCII glyphs only."""
    plain: bool = False
    """Lines and words instead of a full screen, a chart or columns: to be listened to."""
    motion: str = "full"
    """How much may move: "full", "reduced" to start, halfway and end, or "none"; over ssh full is reduced."""
    device: str = "auto"
    """Where experiments run: auto, cpu, cuda, mps, xpu."""
    gpu: str = "ask"
    """"ask", "never" or "idle" (use it when nobody else does)."""
    time_limit: float = 20.0
    """Upper limit of one run, seconds."""
    worker_command: tuple[str, ...] = ()
    """Replaces the command that starts the worker: another interpreter, a container, srun, ssh."""
    coin: bool = False
    """Let a coin decide for each card whether it is to be predicted first, and compare the two halves."""
    worker_host: str = ""
    """The machine experiments run on (box, user@box), reached over ssh; empty = this one."""
    worker_python: tuple[str, ...] = ("python3",)
    """The interpreter on that machine; it needs torch, studyapp need not be there."""
    lessons: tuple[Path, ...] = ()
    """More folders or files with lessons."""
    editor: str = ""
    """What opens a file: a command such as vim; empty = VISUAL, EDITOR, else what is there."""
    sync: str = ""
    """Where the record is kept in step: a host (user@box) or a shared folder; empty = nowhere."""
    far_command: tuple[str, ...] = ("studyapp",)
    """How studyapp is called on the host."""
    ssh_command: tuple[str, ...] = ("ssh",)
    """The ssh program with the learner's own options."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The learner's own keys by command, from the file's table `[keys]`."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each set value came from."""

    def clock(self) -> Moment:
        """Return this moment in the learner's zone."""
        now = self.now or datetime.now(timezone.utc)
        return Moment(now=now, zone=self.zone, zone_name=self.zone_name, rollover=self.rollover)

    @property
    def zone_is_a_guess(self) -> bool:
        """Whether the host says UTC, as servers do, and the learner named no zone: not even TZ."""
        return self.zone_name in GUESSES and "zone" not in self.sources

    @property
    def status_path(self) -> Path:
        """The small file that `status` and the first frame read; a store named by a flag has its own beside it."""
        if self.sources.get("db") == "--db":
            return self.db.with_name(self.db.name + ".status.json")
        return self.data_dir / "status.json"


def load(
    flags: Mapping[str, str | None],
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> Settings:
    """Return the settings in force.

    Raises:
        UsageError: For a value that cannot be, naming the setting, its source and what is allowed; for a TOML
            file that does not parse or has unknown names.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    env = dict(environ)
    if "data_dir" in given:
        env["STUDYAPP_DATA_DIR"] = given.pop("data_dir")
    config = Path(config_file(env, platform))
    folder = Path(data_dir(env, platform)).expanduser().absolute()
    texts = {name: (text, str(config)) for name, text in read_toml(config).items()}
    for name in PARSERS:
        variable = f"STUDYAPP_{name.upper()}"
        if variable in env:
            texts[name] = (env[variable], variable)
    texts.update({name: (text, f"--{name.replace('_', '-')}") for name, text in given.items()})
    values = {name: _parse(name, text, source) for name, (text, source) in texts.items()}
    base = Settings(data_dir=folder, config=config, db=folder / "study.db")
    zone, zone_name = _zone(values.pop("zone", None), env)
    now = _instant(values.pop("now", None), zone)
    sources = {name: source for name, (_, source) in texts.items()}
    if env.get("TZ"):
        sources.setdefault("zone", "TZ")
    settings = replace(
        base, **values, zone=zone, zone_name=zone_name, now=now, sources=sources, keys=read_keys(config)
    )
    if not settings.worker_host:
        return settings
    from studyapp.experiments.carrier import command

    return replace(
        settings, worker_command=command(settings.worker_host, settings.ssh_command, settings.worker_python)
    )


def _parse(name: str, text: str, source: str) -> Any:
    try:
        return PARSERS[name](text)
    except ValueError as error:
        raise UsageError(f"{source}: {name} cannot be {text!r}.", f"It takes {error}.") from None


def checked(name: str, text: str, source: str) -> Any:
    """Return a setting's value as `load` would take it.

    Raises:
        UsageError: If the value cannot be, naming the source and what is allowed.
    """
    value = _parse(name, text, source)
    if name == "zone":
        _zone(text, {})
    return value


def _zone(name: str | None, environ: Mapping[str, str]) -> tuple[tzinfo, str]:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    wanted = name or environ.get("TZ", "").removeprefix(":") or _system_zone()
    try:
        return ZoneInfo(wanted), wanted
    except (ZoneInfoNotFoundError, ValueError, OSError):
        if name:
            raise UsageError(f"zone: no time zone is called {name!r}.", "Write it like Europe/Paris.") from None
    offset = datetime.now(timezone.utc).astimezone().utcoffset() or timedelta(0)
    return timezone(offset), _time.tzname[0]


def _system_zone() -> str:
    try:
        target = Path("/etc/localtime").resolve()
    except OSError:
        return "UTC"
    _, found, name = str(target).partition("zoneinfo/")
    return name if found else "UTC"


def _instant(text: str | None, zone: tzinfo) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"now cannot be {text!r}.", "Write it like 2026-03-01T09:30 or with +01:00.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(timezone.utc)
