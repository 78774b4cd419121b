"""The parts of the race as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from studyapp.chart.units import quantity
from studyapp.study.racing import Lane, Track

LANE_ROOM = 14
"""Cells right of a lane, for its time."""


def lane(name: str, words: str, runner: Lane, seconds: float, width: int, *, cpu: bool, wins: bool, dashed: bool,
         batch: int, by_row: bool = False) -> Content:  # fmt: skip
    """Return one lane: its name, its bar at this moment, its count and whether it wins."""
    color = "$s-cpu" if cpu else "$s-gpu"
    room = max(8, width - LANE_ROOM)
    wait, work = runner.share(seconds)
    waited = round(room * wait)
    worked = round(room * (wait + work)) - waited
    solid = "▒" if dashed else "█"
    bar = [("▒" * waited, "$s-gpu-dim"), (solid * worked, color), ("·" * (room - waited - worked), "$s-track")]
    finished = seconds >= runner.total_s
    time = quantity(runner.total_s, "s") if finished else ""
    # cores hand over row by row; a GPU has nothing to show until all of it is back
    rows = cpu or by_row
    done = batch if finished else int(batch * work / max(1e-12, runner.work_s / runner.total_s)) if rows else 0
    fate = ("▶ wins", "bold $s-good") if wins and finished else ("finished" if finished else "", "$s-muted")
    return Content("\n").join(
        [
            Content.assemble((name, f"bold {color}"), (f"  {words}", "$s-muted")),
            Content.assemble(*bar, (f"{time:>{LANE_ROOM - 1}}", "$s-text")),
            Content.assemble((f"{done:>5} / {batch} rows", "$s-muted"), "        ", fate),
        ]
    )


def slider(track: Track, batch: int, width: int, raced: Mapping[int, str]) -> Content:
    """Return the batch slider, its labels, and the strip of races that draws the crossover by itself."""
    batches = track.batches
    room = max(16, min(width - 16, 6 * len(batches)))
    columns = {n: round((room - 1) * i / max(1, len(batches) - 1)) for i, n in enumerate(batches)}
    at = columns[batch]
    line = Content.assemble(
        ("batch  ", "$s-muted"),
        ("━" * at, "$s-sky"),
        ("●", "bold $s-bright"),
        ("─" * (room - 1 - at), "$s-track"),
        (f"  {batch}", "bold $s-bright"),
    )
    labels, strip = _labels(columns, room + 8), [(" ", "")] * room
    for n, column in columns.items():
        winner = raced.get(n)
        strip[column] = {
            "cpu": ("●", "$s-cpu"),
            "rival": ("○", "$s-gpu"),
            "tie": ("=", "$s-muted"),
            None: ("·", "$s-track"),
        }[winner]
    return Content("\n").join(
        [
            line,
            Content.styled("       " + labels, "$s-muted"),
            Content.assemble("       ", *strip),
        ]
    )


def _labels(columns: Mapping[int, int], room: int) -> str:
    """Return the batches below their places: every one, every second ... so that all of them fit."""
    for stride in range(1, len(columns) + 1):
        row, end = "", -1
        for n, column in list(columns.items())[::stride]:
            start = max(0, column - len(str(n)) // 2)
            if start <= end or start + len(str(n)) > room:
                break
            row = row.ljust(start) + str(n)
            end = len(row)
        else:
            return row
    return ""


def outcome(track: Track, batch: int, *, finished: bool, all_raced: bool) -> Content:
    """Return the race's numbers and, when it is over, its winner in words."""
    cpu, rival = track.cpu[batch], track.rival[batch]
    parts = f"{quantity(rival.wait_s, 's')} trip + {quantity(rival.work_s, 's')} work"
    lines = [
        Content.assemble(
            ("one batch of ", "$s-muted"),
            (f"{batch}", "bold $s-bright"),
            (f":  {track.cpu_name} ", "$s-muted"),
            (quantity(cpu.total_s, "s"), "$s-cpu"),
            (f"   {track.rival_name} ", "$s-muted"),
            (quantity(rival.total_s, "s") if track.of_cores else parts, "$s-gpu"),
        )
        if finished
        else Content("")
    ]
    if finished:
        lines.append(Content.styled(track.won(batch), "bold $s-bright"))
    lines.append(Content.styled(track.law(), "$s-text") if all_raced else Content(""))
    lines.append(Content.styled(track.basis, "$s-muted"))
    return Content("\n").join(lines)
