"""The list of experiments, and one experiment by its id; claim files are imported when first asked for.

Standard library only, Python 3.10+: the worker uses it too. Importing it imports no claim and no torch.
"""

from __future__ import annotations

import difflib
import importlib
from functools import cache

from studyapp.core.errors import UsageError
from studyapp.experiments.claim import Experiment

CLAIMS = (
    "small_net",
    "layer_batch",
    "core_race",
    "paper_race",
    "race",
    "width",
    "busy_not_full",
    "one_after_another",
    "matmul_share",
    "kept",
    "bert_kept",
    "out_of_memory",
    "recompute",
    "loader_workers",
    "decode_workers",
    "fix_or_buy",
    "pin",
    "wait_each_step",
    "lost_gradients",
    "half_speed",
    "sixteen_bit_floor",
    "master_weights",
    "scaled_training",
    "bus",
    "worth_moving",
    "half_memory",
    "memory_ladder",
    "days",
    "one_request",
    "trees_or_net",
    "averaged_gradients",
    "dp_or_ddp",
    "fsdp",
    "same_rate",
    "bubble",
    "two_card",
    "optimizer_state",
    "sharding",
    "fits",
    "own_forgetting",
)
"""Claim files, in the order they are listed; an experiment's id is its file's name with dashes."""


BESIDE = ("passport",)
"""Measurements without a claim, in files beside the claims: in no list, asked for by the program alone."""


def ids() -> tuple[str, ...]:
    """Return every experiment's id without importing its file."""
    return tuple(name.replace("_", "-") for name in CLAIMS)


def experiment(id: str) -> Experiment:  # noqa: A002 - the word the learner types
    """Return the experiment of that id.

    Raises:
        UsageError: If there is none; the message lists the known ids, the nearest first.
    """
    if id not in ids():
        raise UsageError(f"There is no experiment {id!r}.", _advice(id))
    return _load(id.replace("-", "_"))


def measurement(id: str) -> Experiment:  # noqa: A002 - as in `experiment`
    """Return what the worker can run under that id: an experiment, or a measurement without a claim.

    Raises:
        UsageError: If there is none.
    """
    if id not in BESIDE:
        return experiment(id)
    found = importlib.import_module(f"studyapp.experiments.{id}").EXPERIMENT
    if not isinstance(found, Experiment):
        raise TypeError(f"{id}.py: EXPERIMENT is not an Experiment")
    return found


def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, in the order of `CLAIMS`."""
    return tuple(_load(name) for name in CLAIMS)


@cache
def _load(name: str) -> Experiment:
    found = importlib.import_module(f"studyapp.experiments.claims.{name}").EXPERIMENT
    if not isinstance(found, Experiment):
        raise TypeError(f"claims/{name}.py: EXPERIMENT is not an Experiment")
    return found


def _advice(wanted: str) -> str:
    near = difflib.get_close_matches(wanted.replace("_", "-").lower(), ids(), n=2, cutoff=0.5)
    known = f"Known: {', '.join(ids())}."
    return f"Did you mean {' or '.join(near)}? {known}" if near else known
