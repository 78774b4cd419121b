"""Autocast on and off: the same steps with the model's forward pass in 16 bits and in the script's own precision.

Where the script casts by itself, its own autocast is switched off for one half. Elsewhere the model alone is put
under autocast and gives its answers back in float32, so that the script's loss stays as it was.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from studyapp.experiments.worker.dock.steps import KEPT, Source, Step, Times, Wish, ratio

if TYPE_CHECKING:
    from studyapp.experiments.worker.dock.engine import Engine

SHARE = 0.07
"""Of the time limit, for each of four turns: off, on, off, on."""


def find(engine: Engine, source: Source | None) -> Generator[Wish, Step, None]:
    """Time steps off and on in turns."""
    models = engine.models()
    why = cannot(models)
    if why:
        engine.cannot(why, not models)
        return
    own = [False]
    with noticing(engine, models, own):
        yield KEPT
    engine.ask(own=own[0])
    trouble: list[str] = []
    off, on = (
        (without, lambda *_: contextlib.nullcontext()) if own[0] else (lambda *_: contextlib.nullcontext(), cast)
    )
    times: dict[str, Times] = {"off": Times(), "on": Times()}
    for name, mode in (("off", off), ("on", on), ("off", off), ("on", on)):
        with mode(engine, models, trouble):
            yield KEPT
            if trouble:
                break
            more = yield from engine.timed(KEPT, SHARE, 2)
        times[name] += more
    if trouble:
        engine.cannot(f"The model does not run under autocast: {trouble[0]}")
        return
    slow, fast = times["off"], times["on"]
    engine.found(
        outcome="found",
        basis="measured",
        **ratio(slow, fast),
        off=slow.as_json(),
        on=fast.as_json(),
        own=own[0],
        dtype="the script's own" if own[0] else "bfloat16",
    )


def cannot(models: list[Any]) -> str:
    """Return why the model cannot be put under autocast, or ""."""
    if not models:
        return "No module was seen whose forward pass could be put under autocast."
    if any(hasattr(model, "_orig_mod") for model in models):
        return "The model is compiled; autocast would have to stand where it was compiled."
    weights = {str(w.dtype) for model in models for w in model.parameters()}
    if "torch.float32" not in weights:
        return f"The weights are {', '.join(sorted(weights))} already."
    return ""


@contextlib.contextmanager
def noticing(engine: Engine, models: list[Any], own: list[bool]) -> Iterator[None]:
    """See whether the script itself casts when it calls the model."""
    from studyapp.experiments.worker.dock.attach import modules_called

    kind = engine.device.type

    def look(module: Any) -> None:
        own[0] = own[0] or bool(engine.torch.is_autocast_enabled(kind))

    with modules_called(engine, look):
        yield


@contextlib.contextmanager
def cast(engine: Engine, models: list[Any], trouble: list[str]) -> Iterator[None]:
    """Put each model's forward pass under autocast; where that fails, the step goes on without."""
    torch = engine.torch
    with contextlib.ExitStack() as stack:
        for model in models:
            had, plain = "forward" in vars(model), model.forward

            def forward(*args: Any, _plain: Any = plain, **kwargs: Any) -> Any:
                try:
                    with torch.autocast(engine.device.type, dtype=torch.bfloat16):
                        answer = _plain(*args, **kwargs)
                    return as_float(torch, answer)
                except Exception as error:
                    trouble.append(f"{type(error).__name__}: {error}".split("\n")[0][:200])
                    return _plain(*args, **kwargs)

            model.forward = functools.wraps(plain)(forward)
            stack.callback(_restore, model, plain if had else None)
        yield


def _restore(model: Any, plain: Any) -> None:
    if plain is None:
        del model.forward
    else:
        model.forward = plain


def as_float(torch: Any, answer: Any) -> Any:
    """Return an answer with its 16-bit tensors as float32; kinds of answers we do not know stay as they are."""
    if isinstance(answer, torch.Tensor):
        return answer.float() if answer.dtype in (torch.bfloat16, torch.float16) else answer
    if isinstance(answer, (list, tuple)) and not hasattr(answer, "_fields"):
        return type(answer)(as_float(torch, part) for part in answer)
    if type(answer) is dict:
        return {key: as_float(torch, part) for key, part in answer.items()}
    return answer


@contextlib.contextmanager
def without(engine: Engine, models: list[Any], trouble: list[str]) -> Iterator[None]:
    """Make the script's own autocast do nothing."""
    kind = engine.torch.autocast
    enter, leave = kind.__enter__, kind.__exit__
    kind.__enter__ = lambda self: self
    kind.__exit__ = lambda self, *_: None
    try:
        yield
    finally:
        kind.__enter__, kind.__exit__ = enter, leave
