"""Hand-made points, and the recorded runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Facts, Verdict, decide
from studyapp.experiments import catalog
from studyapp.experiments.claim import Experiment

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.json"))


def curve(
    series: str,
    xs: Iterable[float],
    y: Callable[[float], float],
    *,
    spread: float = 0.02,
    settled: bool = True,
    basis: Basis = Basis.MEASURED,
) -> list[Point]:
    """Return a point per x with y(x), and a spread upwards as a CPU's best-of-rounds has it."""
    return [Point(series, x, y(x), y(x), y(x) * (1 + spread), 9, settled, basis) for x in xs]


def a_run(name: str, device: str = "cpu", cores: int = 2, busy: bool = False, **given: Any) -> Facts:
    """Return the facts of a run of that experiment, controls complete."""
    controls = catalog.experiment(name).parse_controls(given)
    return Facts(device=device, device_name="test", cores=cores, controls=controls, busy=busy)


def verdict(name: str, points: Iterable[Point], facts: Facts) -> Verdict:
    """Return what may be shown."""
    experiment = catalog.experiment(name)
    return decide(experiment.judge, list(points), facts, timed=experiment.timed)


@dataclass(frozen=True)
class Recording:
    """One real run from `tests/recordings`."""

    name: str
    experiment: Experiment
    points: list[Point]
    facts: Facts
    verdict: Mapping[str, Any]

    def judged(self, points: list[Point] | None = None, facts: Facts | None = None) -> Verdict:
        chosen = self.points if points is None else points
        return decide(self.experiment.judge, chosen, facts or self.facts, timed=self.experiment.timed)


def recorded(path: Path) -> Recording:
    data = json.loads(path.read_text(encoding="utf-8"))
    names = Facts.__dataclass_fields__
    facts = Facts(**{key: entry for key, entry in data["facts"].items() if key in names})
    points = [Point.from_json(point) for point in data["points"]]
    return Recording(path.stem, catalog.experiment(data["experiment"]), points, facts, data["verdict"])
