"""The catalog: ids, near misses, and that every listed claim file keeps its word."""

from __future__ import annotations

import pytest

from studyapp.core.errors import UsageError
from studyapp.experiments import catalog


def test_ids_are_the_claim_files_with_dashes() -> None:
    assert catalog.ids()[:2] == ("small-net", "layer-batch")
    assert len(set(catalog.ids())) == len(catalog.CLAIMS)


@pytest.mark.parametrize("wrong", ["small-nat", "small_net", "Small-Net", "smallnet"])
def test_a_near_miss_is_answered_with_the_experiment_meant(wrong: str) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.experiment(wrong)

    assert "Did you mean small-net" in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("wrong", ["", "xyzzy", "../../etc/passwd", "os", "small-net\n"])
def test_an_unknown_id_lists_the_known_ones(wrong: str) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.experiment(wrong)

    assert all(known in caught.value.hint for known in catalog.ids())


def test_every_listed_experiment_is_found_under_its_own_id() -> None:
    assert [found.id for found in catalog.experiments()] == list(catalog.ids())


def test_every_sibling_exists() -> None:
    siblings = {found.sibling for found in catalog.experiments()} - {None}

    assert siblings <= set(catalog.ids())
