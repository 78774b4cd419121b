"""All comparisons one after the other: `python -m benchmarks.run [NAME ...] [--rounds N] [--keep FILE]`."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path

from benchmarks import setting
from benchmarks.ratios import Figure, circumstances, report

NAMES = (
    "start",
    "status",
    "keys",
    "answers",
    "trial",
    "dock",
    "chart",
    "timing",
    "idle",
    "store",
    "search",
    "packages",
    "lessons",
    "optimise",
    "passport",
    "peers",
)


def main() -> None:
    """Run the comparisons named on the command line, or all, and print their figures as one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--rounds", type=int, help="rounds of each comparison; its own default if left out")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="also write figures and circumstances as JSON")
    given = parser.parse_args()
    setting.compile_everything()
    print(circumstances(), flush=True)
    figures: list[Figure] = []
    for name in given.names or NAMES:
        measure: Callable[..., list[Figure]] = importlib.import_module(f"benchmarks.{name}").measure
        found = measure(given.rounds) if given.rounds else measure()
        report(found)
        figures += found
    report(figures, given.keep)


if __name__ == "__main__":
    main()
