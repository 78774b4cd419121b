"""The settings in words: groups, names, the values to step through, and one row as Content."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from studyapp.study.setting_list import DEFAULT, Setting
from studyapp.tui.widgets.bars import clean_place

GROUPS = {
    "Screen": ("theme", "color", "motion", "ascii", "plain"),
    "Study": (
        "new_minutes", "reviews_per_day", "retention", "retention_of", "rollover", "zone", "release", "goal",
        "streak", "buttons", "typed", "timebox_minutes", "learn_ahead_minutes", "leech", "fuzz",
    ),
    "Experiments": ("device", "gpu", "time_limit", "worker_host", "worker_python", "worker_command"),
    "Files": ("db", "lessons", "editor", "sync", "far_command", "ssh_command"),
}  # fmt: skip
"""Names by group; what is in none of them stands under "More"."""
NAMES = {
    "new_minutes": "minutes for new cards",
    "reviews_per_day": "reviews a day",
    "retention": "target recall",
    "retention_of": "recall of modules",
    "rollover": "day starts at",
    "zone": "time zone",
    "release": "cards come",
    "buttons": "grades",
    "typed": "type the answer",
    "timebox_minutes": "minutes of a sitting",
    "learn_ahead_minutes": "minutes to learn ahead",
    "leech": "hard cards",
    "fuzz": "spread due days",
    "ascii": "ASCII only",
    "plain": "lines, no screen",
    "gpu": "use of the GPU",
    "time_limit": "seconds a run may take",
    "worker_host": "machine that measures",
    "worker_python": "its Python",
    "worker_command": "worker command",
    "db": "store",
    "far_command": "studyapp over there",
    "ssh_command": "ssh command",
}
"""What a setting is called where its own name would not do."""
STEPS = {
    "new_minutes": ("0", "5", "10", "15", "20", "30", "45", "60"),
    "reviews_per_day": ("0", "20", "50", "100", "150", "200", "300", "500", "1000"),
    "retention": ("0.7", "0.75", "0.8", "0.85", "0.88", "0.9", "0.92", "0.95", "0.97"),
    "rollover": tuple(f"{hour:02d}:00" for hour in range(24)),
    "timebox_minutes": ("0", "5", "10", "15", "20", "30", "45", "60"),
    "learn_ahead_minutes": ("0", "5", "10", "20", "30", "60"),
    "time_limit": ("5", "10", "20", "30", "60", "120", "300", "600"),
    "device": ("auto", "cpu", "cuda", "mps", "xpu"),
    "goal": ("1 answer", "10 answers", "20 answers", "10 minutes", "20 minutes", "all due"),
    "buttons": ("2", "4"),
}
"""Values that one steps through; any other can be typed."""
NAME_ROOM = 24


def grouped(settings: list[Setting]) -> dict[str, list[Setting]]:
    """Return the settings by group, none left out."""
    by_name = {setting.name: setting for setting in settings}
    found = {title: [by_name.pop(name) for name in names if name in by_name] for title, names in GROUPS.items()}
    return {title: rows for title, rows in {**found, "More": list(by_name.values())}.items() if rows}


def called(name: str) -> str:
    """Return what a setting is called on screen."""
    return NAMES.get(name, name.replace("_", " "))


def choices(setting: Setting) -> tuple[str, ...]:
    """Return the values one steps through with the arrow keys; none where a value must be typed."""
    if setting.name in STEPS:
        return STEPS[setting.name]
    if setting.takes.startswith("one of "):
        return tuple(setting.takes.removeprefix("one of ").split(", "))
    return ("off", "on") if setting.takes == "on or off" else ()


def stepped(setting: Setting, step: int) -> str | None:
    """Return the value one step on or back, None where there is none."""
    ladder = choices(setting)
    if not ladder:
        return None
    if setting.value in ladder:
        at = ladder.index(setting.value) + step
        return ladder[at] if 0 <= at < len(ladder) else None
    return min(ladder, key=lambda value: _apart(value, setting.value))


def _apart(one: str, other: str) -> float:
    try:
        return abs(float(one.replace(":", ".")) - float(other.replace(":", ".")))
    except ValueError:
        return 0.0


def fixed_by(setting: Setting) -> str:
    """Return the variable or flag that holds over the settings file, "" if the file may say."""
    return setting.source if setting.source.startswith(("STUDYAPP_", "--")) else ""


def row(setting: Setting, width: int, *, here: bool, holds: str = "") -> Content:
    """Return a setting's row: name, value, where it comes from.

    Args:
        setting: Which one.
        width: Cells there are.
        here: Whether the cursor is on it.
        holds: What the file holds that it names; said where there is room.
    """
    room = NAME_ROOM if width >= 60 else max(12, width // 2 - 4)
    source = "   ".join(filter(None, [holds if width >= 70 else "", _source(setting, width)]))
    value_room = max(4, width - 2 - room - cell_len(source) - 2)
    fixed = bool(fixed_by(setting))
    name_style = "bold $s-bright" if here else "$s-text"
    return Content.assemble(
        ("▌ " if here else "  ", "$s-sky"),
        (_fit(called(setting.name), room), name_style),
        _value(setting, value_room, here=here and not fixed),
        "  ",
        (source, "$s-muted"),
    )


def _value(setting: Setting, room: int, *, here: bool) -> Content:
    ladder = choices(setting)
    inline = sum(len(value) + 3 for value in ladder) - 1
    if 1 < len(ladder) <= 5 and inline <= room and setting.value in ladder:
        parts: list[tuple[str, str]] = []
        for value in ladder:
            chosen = value == setting.value
            text = f"[{value}]" if chosen else f" {value} "
            parts += [(text, ("bold $s-sky" if here else "bold $s-bright") if chosen else "$s-muted"), (" ", "")]
        found = Content.assemble(*parts)
        return found.pad_right(max(0, room - found.cell_length)).truncate(room)
    text = clean_place(setting.value) or "none"
    text = ending(text, room - 2) if setting.name == "db" else text
    arrows = f"‹{text}›" if here and ladder else f" {text}"  # as far in as the words between brackets
    changed = setting.source != DEFAULT
    style = "bold $s-sky" if here else "bold $s-bright" if changed else "$s-text"
    return Content.styled(_fit(arrows, room), style if setting.value else "$s-muted")


def _source(setting: Setting, width: int) -> str:
    if setting.source == DEFAULT:
        return "default"
    source = setting.source if fixed_by(setting) or setting.source == "TZ" else Path(setting.source).name
    return source if width >= 60 else source[:12]


def _fit(text: str, room: int) -> str:
    return set_cell_size(text, room) if cell_len(text) <= room else set_cell_size(text, max(0, room - 2)) + "… "


def ending(path: str, room: int) -> str:
    """Return a path under `~`, or as much of its end as has room: there stands the name of the file."""
    home = str(Path.home())
    short = f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path
    while cell_len(short) > room and "/" in short[2:]:
        short = f"…/{short[2:].partition('/')[2]}"
    return short


def about(setting: Setting, width: int, later: bool, holds: str = "") -> list[Content]:
    """Return what is known of the setting under the cursor, in two or three lines."""
    words = clean_place(setting.words) or f"{called(setting.name)}.".capitalize()
    takes = f"It takes {setting.takes}." if setting.takes and not choices(setting) else ""
    lines = Content.styled(f"{words} {takes}".strip(), "$s-text").wrap(width)[:2]
    default = clean_place(setting.default) or "nothing"
    facts = [f"default {default}", f"name in the file: {setting.name}"]
    if fixed := fixed_by(setting):
        facts = [f"given by {fixed}, which holds over the file: change it there", *facts[:1]]
    elif later:
        facts.append("holds from the next start")
    facts = [holds, *facts] if holds else facts
    return [*lines, Content.styled("   ".join(facts), "$s-muted").truncate(max(1, width), ellipsis=True)]
