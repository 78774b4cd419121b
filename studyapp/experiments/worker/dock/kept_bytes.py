"""What a training step holds: weights, gradients, optimizer state, and what forward keeps for backward."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

from studyapp.experiments.worker.dock.steps import KEPT, Source, Step, Wish

if TYPE_CHECKING:
    from studyapp.experiments.worker.dock.engine import Engine


class Kept:
    """Adds up the storages that forward keeps, each once, weights aside; a backward pass lets them go."""

    def __init__(self, owned: set[int]) -> None:
        self.most = 0
        self._owned = owned
        self._held: dict[int, int] = {}

    def save(self, tensor: Any) -> Any:
        """Take one tensor; it is handed back as it is."""
        try:
            storage = tensor.untyped_storage()
            if storage._cdata not in self._owned and storage._cdata not in self._held:
                self._held[storage._cdata] = storage.nbytes()
                self.most = max(self.most, sum(self._held.values()))
        except (RuntimeError, NotImplementedError):
            pass  # a kind of tensor without a storage of its own
        return tensor

    def let_go(self) -> None:
        """Forget what is held: its backward pass is over."""
        self._held.clear()


def tensor_bytes(tensors: Iterable[Any]) -> int:
    """Return the bytes of tensors, each storage's part once."""
    found = {id(tensor): tensor.numel() * tensor.element_size() for tensor in tensors}
    return sum(found.values())


def find(engine: Engine, source: Source | None) -> Generator[Wish, Step, None]:
    """Count during one step, and on an accelerator read its allocator's peak."""
    torch, trained = engine.torch, engine.trained()
    if not trained:
        engine.cannot("No optimizer with weights was seen.", True)
        return
    engine.ask()
    models = engine.models()
    weights = {id(w): w for w in [*trained, *(w for model in models for w in model.parameters())]}
    buffers = [buffer for model in models for buffer in model.buffers()]
    owned = {t.untyped_storage()._cdata for t in [*weights.values(), *buffers]}
    kept, gradients = Kept(owned), [0]

    def at_update(optimizer: Any) -> None:
        found = [w.grad for w in weights.values() if w.grad is not None]
        gradients[0] = max(gradients[0], tensor_bytes(found))

    engine.on_update, engine.on_backward = at_update, kept.let_go
    yield KEPT
    reset_peak(engine)
    try:
        with torch.autograd.graph.saved_tensors_hooks(kept.save, lambda tensor: tensor):
            yield KEPT
    finally:
        engine.on_update = engine.on_backward = None
    state = tensor_bytes(state_tensors(torch, engine.optimizers))
    parts = {
        "weights": tensor_bytes(weights.values()),
        "buffers": tensor_bytes(buffers),
        "gradients": gradients[0],
        "optimizer": state,
        "activations": kept.most,
    }
    engine.found(
        outcome="found",
        basis="counted",
        value=kept.most / max(1, parts["weights"]),
        n=1,
        parts=parts,
        peak=peak(engine),
        optimizer=type(engine.optimizers[0]).__name__,
    )


def state_tensors(torch: Any, optimizers: Iterable[Any]) -> list[Any]:
    """Return the tensors that optimizers keep for their weights."""
    states = [entry for optimizer in optimizers for entry in optimizer.state.values() if isinstance(entry, dict)]
    return [found for state in states for found in state.values() if isinstance(found, torch.Tensor)]


def reset_peak(engine: Engine) -> None:
    """Begin to watch the accelerator's allocator anew."""
    home: Any = getattr(engine.torch, engine.device.type, None) if engine.accelerated else None
    if hasattr(home, "reset_peak_memory_stats"):
        engine.sync()
        home.reset_peak_memory_stats()


def peak(engine: Engine) -> float | None:
    """Return the most bytes the accelerator's allocator had in use since then; None on a CPU."""
    home: Any = getattr(engine.torch, engine.device.type, None) if engine.accelerated else None
    if not hasattr(home, "max_memory_allocated"):
        return None
    engine.sync()
    return float(home.max_memory_allocated()) or None
