"""The terms a row was answered under, as a short text beside it: parameter set, wanted retention, steps, limits.

Replay needs them where an outcome must be computed anew, so that two machines with different settings end with the
same memory, and a setting changed later changes nothing of the past.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from studyapp.core.errors import UsageError
from studyapp.core.policy import DEFAULT_PARAMETERS, Policy

_USUAL = Policy()


def terms_of(policy: Policy) -> str:
    """Return the key of the parameter set, followed by whatever else is not the default.

    >>> terms_of(Policy(desired_retention=0.85, fuzz=False)).split(" ", 1)[1]
    'retention=0.85 fuzz=off'
    """
    words = [policy.key]
    if policy.desired_retention != _USUAL.desired_retention:
        words.append(f"retention={policy.desired_retention!r}")
    for name in ("learning", "relearning"):
        steps = getattr(policy, f"{name}_steps")
        if steps != getattr(_USUAL, f"{name}_steps"):
            words.append(f"{name}=" + ",".join(f"{step / timedelta(seconds=1):g}" for step in steps))
    if policy.maximum_interval != _USUAL.maximum_interval:
        words.append(f"maximum={policy.maximum_interval}")
    if not policy.fuzz:
        words.append("fuzz=off")
    return " ".join(words)


def policy_of_terms(text: str, sets: Mapping[str, Sequence[float]], otherwise: Policy) -> Policy:
    """Return the policy that a row's terms describe.

    Args:
        text: As `terms_of` wrote it; "" for a row that does not say.
        sets: Known parameter sets by key; the defaults need not be among them.
        otherwise: For rows that do not say, and for a parameter set that is not known here.
    """
    key, *others = text.split(" ")
    known = {_USUAL.key: DEFAULT_PARAMETERS, **sets}
    if not key:
        return otherwise
    said = dict(word.partition("=")[::2] for word in others)
    try:
        return Policy(
            parameters=tuple(known.get(key, otherwise.parameters)),
            desired_retention=float(said.get("retention", _USUAL.desired_retention)),
            learning_steps=_steps(said, "learning"),
            relearning_steps=_steps(said, "relearning"),
            maximum_interval=int(said.get("maximum", _USUAL.maximum_interval)),
            fuzz=said.get("fuzz") != "off",
        )
    except (UsageError, ValueError, OverflowError):
        return otherwise


def _steps(said: Mapping[str, str], name: str) -> tuple[timedelta, ...]:
    if name not in said:
        usual: tuple[timedelta, ...] = getattr(_USUAL, f"{name}_steps")
        return usual
    return tuple(timedelta(seconds=float(step)) for step in said[name].split(",") if step)
