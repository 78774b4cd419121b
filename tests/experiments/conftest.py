"""Fixtures of the experiment tests; the real worker is started once per module, torch takes a second to import."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from studyapp.experiments.runner import Runner
from tests.experiments import helpers


class Bench:
    """A runner with a way to name a behaviour, the same for the fake and the real worker."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.runner = Runner(helpers.REAL if kind == "real" else helpers.FAKE, patience=helpers.SHORT)

    def name(self, behaviour: str) -> str:
        if self.kind == "real":
            return f"{helpers.HERE / 'toys.py'}:{behaviour.upper()}"
        return behaviour


@pytest_asyncio.fixture(
    scope="module", loop_scope="module", params=["fake", pytest.param("real", marks=pytest.mark.torch)]
)
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    found = Bench(request.param)
    yield found
    await found.runner.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def real() -> AsyncIterator[Bench]:
    found = Bench("real")
    yield found
    await found.runner.close()
