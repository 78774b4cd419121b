"""What the dock found, in sentences: one per finding, with its bars and its places in the script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studyapp.core.predictions import Prediction, Score, times_words
from studyapp.experiments.judging import in_bytes, in_seconds, rows, times

ALIKE = 1.05
"""A ratio closer to 1 than this is not told from it, whatever the spread says."""
HOOK = "The hook helps: for batch in steps(batches, model=model, optimizer=optimizer); see docs/trial.md."


@dataclass(frozen=True)
class Kind:
    """What is fixed about a finding."""

    title: str
    question: str
    unit: str
    experiments: tuple[str, ...]
    whole: bool = False


KINDS = {
    "data": Kind(
        "Waiting for data",
        "How many times as fast would a step be if data cost nothing?",
        "x",
        ("loader-workers", "decode-workers", "fix-or-buy"),
    ),
    "waits": Kind(
        "Waiting for the device",
        "How many times a step does the loop ask for a tensor's value (.item(), print, if)?",
        "a step",
        ("wait-each-step",),
    ),
    "memory": Kind(
        "Memory of a step",
        "How many times the bytes of the weights does forward keep for backward?",
        "x",
        ("kept", "optimizer-state", "fits"),
    ),
    "precision": Kind(
        "Autocast off and on",
        "How many times as fast is a step with the model under autocast?",
        "x",
        ("half-speed", "half-memory"),
    ),
    "batch": Kind(
        "The largest batch", "At how many rows does memory say no?", "rows", ("out-of-memory",), whole=True
    ),
}
"""By finding, in the order in which they are made."""


@dataclass(frozen=True)
class Words:
    """A finding as it is read."""

    sentence: str
    lines: tuple[str, ...] = ()
    """More, a line each: places in the script."""
    bars: tuple[tuple[str, float, str], ...] = ()
    """Name, share 0 to 1, and its figure in words."""


def asked(name: str, message: Mapping[str, Any]) -> str:
    """Return the question for a finding, with what is known before."""
    text = KINDS[name].question
    if name == "batch":
        limit = message.get("limit_mb")
        room = (
            f" It may take {in_bytes(limit * 1e6)} more than it has now."
            if isinstance(limit, (int, float))
            else ""
        )
        return f"Your batch has {rows(message.get('rows') or 0)}, and is doubled again and again.{room} {text}"
    if name == "precision" and message.get("own"):
        return "Your script casts by itself. How many times as fast is a step with its autocast as without?"
    return text


def worded(name: str, message: Mapping[str, Any], loop: Mapping[str, Any]) -> Words:
    """Return a finding in words."""
    if message.get("outcome") != "found":
        why = str(message.get("why", "This cannot be seen here."))
        return Words(f"{why} {HOOK}" if message.get("hook") else why)
    return {"data": _data, "waits": _waits, "memory": _memory, "precision": _precision, "batch": _batch}[name](
        message, loop
    )


def _data(m: Mapping[str, Any], loop: Mapping[str, Any]) -> Words:
    real, kept, ratio = m["real"]["median_s"], m["kept"]["median_s"], m["value"]
    both = f"A step takes {in_seconds(real)} with your batches and {in_seconds(kept)} with one batch kept"
    spread = f"(n {m['n']} each, middle half {times(m['low'])} to {times(m['high'])})"
    share = max(0.0, 1 - kept / real)
    bars = (("waiting for data", share, f"{100 * share:.0f} %"), ("everything else", 1 - share, in_seconds(kept)))
    if m["low"] <= 1 or ratio < ALIKE:
        return Words(f"{both}: no wait for data that can be told from noise {spread}.")
    return Words(f"{both}: if data cost nothing, steps would be {times(ratio)} as fast {spread}.", bars=bars)


def _waits(m: Mapping[str, Any], loop: Mapping[str, Any]) -> Words:
    count = m["value"]
    if not count:
        return Words(f"Nothing in the loop asks for a tensor's value (counted over {m['n']} steps).")
    often = f"The loop asks for a tensor's value {_count(count)} a step (counted over {m['n']} steps)."
    if m.get("accelerated"):
        cost = f"The host waits there for {100 * (m.get('waited_share') or 0):.0f} % of the step."
    else:
        cost = "On a CPU this costs little; on a GPU each one stalls until the device has caught up."
    lines = [
        f"{Path(str(p['path'])).name}:{p['line']}  {p['what']}, {_count(p['per_step'])} a step:  {p['text']}"
        for p in m["lines"]
    ]
    return Words(f"{often} {cost}", tuple(lines))


def _small(factor: float) -> str:
    return times(factor) if factor >= 0.095 or not factor else f"{factor:.1g}×"


def _count(number: float) -> str:
    return f"{number:.3g} time" + ("" if number == 1 else "s")


def _memory(m: Mapping[str, Any], loop: Mapping[str, Any]) -> Words:
    parts, total = m["parts"], sum(m["parts"].values()) or 1
    names = {
        "weights": "weights",
        "buffers": "buffers",
        "gradients": "gradients",
        "optimizer": f"optimizer state ({m.get('optimizer', '')})",
        "activations": "kept for backward",
    }
    bars = tuple((names[key], parts[key] / total, in_bytes(parts[key])) for key in names if parts.get(key))
    sentence = (
        f"A step holds {in_bytes(total)}; what forward keeps for backward is {_small(m['value'])} the weights "
        "(counted tensor by tensor in one step)."
    )
    if m.get("peak"):
        sentence += f" The allocator's peak was {in_bytes(m['peak'])}."
    return Words(sentence, bars=bars)


def _precision(m: Mapping[str, Any], loop: Mapping[str, Any]) -> Words:
    off, on, ratio = m["off"]["median_s"], m["on"]["median_s"], m["value"]
    what = "your script's autocast" if m.get("own") else "the model under autocast (bfloat16)"
    both = f"A step takes {in_seconds(off)} without and {in_seconds(on)} with {what}"
    spread = f"(n {m['n']} each, middle half {times(m['low'])} to {times(m['high'])})"
    if m["low"] <= 1 <= m["high"] or 1 / ALIKE < ratio < ALIKE:
        return Words(f"{both}: no difference that can be told from noise {spread}.")
    if ratio > 1:
        return Words(f"{both}: {times(ratio)} as fast {spread}.")
    return Words(f"{both}: slower here, {times(ratio)} as fast {spread}.")


WHERE = {
    "start": "before the step",
    "data": "while the batch was made",
    "forward": "in the forward pass",
    "backward": "in the backward pass",
    "after backward": "after the backward pass",
    "optimizer step": "in the optimizer's step",
    "after the step": "after the optimizer's step",
}


def _batch(m: Mapping[str, Any], loop: Mapping[str, Any]) -> Words:
    limit = m.get("limit_mb")
    on_cpu = str(loop.get("device", "cpu")) == "cpu"
    within = f" within {in_bytes(limit * 1e6)} more" if isinstance(limit, (int, float)) else ""
    stated = " (a limit of this trial, not the machine's)" if on_cpu and within else ""
    if m.get("never"):
        trained = m.get("trained") or []
        largest = trained[-1]["rows"] if trained else m.get("rows") or 0
        return Words(f"Up to {rows(largest)} nothing was refused{within}{stated}; then the time was up.")
    at = int(m["value"])
    last = f"{rows(at // 2)} still trained" if at // 2 != loop.get("rows") else f"your {rows(at // 2)} train"
    caught = " Your script caught the error and went on." if m.get("caught") else ""
    where = WHERE.get(str(m.get("stage")), "in the step")
    return Words(f"At {rows(at)} memory said no {where}{within}{stated}; {last}.{caught}")


FORMS = {
    "hook": "by the hook in it",
    "loader": "as it is, by its DataLoader",
    "optimizer": "as it is, by its optimizer's steps",
}


def described(loop: Mapping[str, Any]) -> str:
    """Return what was seen of the loop, on one line."""
    model = str(loop.get("model") or "a model")
    parts = [f"{model} with {loop.get('optimizer') or 'an optimizer'} on {loop.get('device', 'cpu')}"]
    if loop.get("rows"):
        parts.append(f"batches of {rows(float(loop['rows']))}")
    if loop.get("workers"):
        parts.append(f"{loop['workers']} loader process{'' if loop['workers'] == 1 else 'es'}")
    return f"{', '.join(parts)}; found {FORMS.get(str(loop.get('form')), '')}"


def praise(told: Prediction, found: Score | None, value: float | None, unit: str) -> str:
    """Return how a prediction did, in words."""
    said = f"You said {told.value:g}{unit if unit == 'x' else ' ' + unit}"
    if value is not None and told.value == value:
        return f"{said}: spot on."
    if value and (found is None or found.factor is None):
        return f"{said}; this was too noisy to tell how near that is."
    if found is None or found.factor is None:
        return f"{said}."
    return f"{said}: {found.closeness.value}" + (
        "." if found.factor <= 1.005 else f", off by a factor of {_factor(found.factor)}."
    )


def _factor(factor: float) -> str:
    return f"{factor:.3g}" if factor < 100 else times_words(factor)
