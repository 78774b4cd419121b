"""The parts of the race as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from studyapp.chart.units import quantity
from studyapp.study.racing import Lane, Track

LANE_ROOM = 14
"""Cells right of a lane, for its time."""


def lane(name: str, words: str, runner: Lane, seconds: float, width: int, *, cpu: bool, wins: bool, dashed: bool,
         batch: int) -> Content:  # fmt: skip
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
    # a CPU hands over row by row; a GPU has nothing to show until all of it is back
    done = batch if finished else int(batch * work / max(1e-12, runner.work_s / runner.total_s)) if cpu else 0
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
    labels, strip = [" "] * (room + 8), [(" ", "")] * room
    last_end = -2
    for n, column in columns.items():
        winner = raced.get(n)
        strip[column] = {
            "cpu": ("●", "$s-cpu"),
            "rival": ("○", "$s-gpu"),
            "tie": ("=", "$s-muted"),
            None: ("·", "$s-track"),
        }[winner]
        text = str(n)
        start = max(0, column - len(text) // 2)
        if start > last_end + 1 and start + len(text) <= len(labels):
            labels[start : start + len(text)] = text
            last_end = start + len(text)
    return Content("\n").join(
        [
            line,
            Content.styled("       " + "".join(labels).rstrip(), "$s-muted"),
            Content.assemble("       ", *strip),
        ]
    )


def outcome(track: Track, batch: int, *, finished: bool, all_raced: bool) -> Content:
    """Return the race's numbers and, when it is over, its winner in words."""
    cpu, rival = track.cpu[batch], track.rival[batch]
    lines = [
        Content.assemble(
            ("one batch of ", "$s-muted"),
            (f"{batch}", "bold $s-bright"),
            (":  CPU ", "$s-muted"),
            (quantity(cpu.total_s, "s"), "$s-cpu"),
            (f"   {track.rival_name} ", "$s-muted"),
            (f"{quantity(rival.wait_s, 's')} trip + {quantity(rival.work_s, 's')} work", "$s-gpu"),
        )
        if finished
        else Content("")
    ]
    if finished:
        winner = track.winner(batch)
        name = {"cpu": "The CPU", "rival": f"The {track.rival_name}"}.get(winner)
        words = f"{name} wins by {track.factor(batch):.1f}×." if name else "A tie: within 5 %."
        lines.append(Content.styled(words, "bold $s-bright"))
    lines.append(Content.styled(track.law(), "$s-text") if all_raced else Content(""))
    basis = "both lanes measured here" if track.measured else "CPU measured here; the GPU is on paper, assumed"
    lines.append(Content.styled(basis, "$s-muted"))
    return Content("\n").join(lines)
