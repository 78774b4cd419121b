"""What was seen of a script's training: its modules, optimizers, weights, and the device they are on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from studyapp.experiments.worker.dock import batches
from studyapp.experiments.worker.dock.steps import Source


@dataclass(kw_only=True)
class Seen:
    """Modules and optimizers, gathered as they are called."""

    torch: Any = None
    roots: list[Any] = field(default_factory=list)
    """Modules with weights that the script calls itself."""
    optimizers: list[Any] = field(default_factory=list)
    known: set[int] = field(default_factory=set)

    def told(self, model: Any, optimizer: Any) -> None:
        """Take what the hook names: one or several of each."""
        for module in _as_list(model):
            if hasattr(module, "modules"):
                self.saw_module(module)
        for entry in _as_list(optimizer):
            if hasattr(entry, "param_groups"):
                self.saw_optimizer(entry)

    def saw_module(self, module: Any) -> None:
        """Take a module that was called; parts of known ones are known."""
        if id(module) in self.known:
            return
        self.known.update(id(part) for part in module.modules())
        if any(True for _ in module.parameters()):
            self.roots.append(module)

    def saw_optimizer(self, optimizer: Any) -> None:
        """Take an optimizer that steps."""
        if not any(optimizer is known for known in self.optimizers):
            self.optimizers.append(optimizer)

    def sync(self) -> None:
        """Wait for the accelerator, where the model is on one."""
        if self.accelerated:
            self.torch.accelerator.synchronize()

    @property
    def device(self) -> Any:
        """Return the device of the first weight that is trained, None while there is none."""
        return next((weight.device for weight in self.trained()), None)

    @property
    def accelerated(self) -> bool:
        """Return whether the model is trained on an accelerator."""
        device = self.device
        return device is not None and device.type not in ("cpu", "meta")

    def trained(self) -> list[Any]:
        """Return the weights the optimizers know."""
        groups = [group for optimizer in self.optimizers for group in optimizer.param_groups]
        return [weight for group in groups for weight in group["params"]]

    def models(self) -> list[Any]:
        """Return the modules that hold at least one trained weight."""
        trained = {id(weight) for weight in self.trained()}
        return [root for root in self.roots if any(id(weight) in trained for weight in root.parameters())]

    def describe(self, source: Source | None) -> dict[str, Any]:
        """Return what was found, in a few fields."""
        device = self.device
        loader = None if source is None else source.loader
        return {
            "device": "cpu" if device is None else str(device),
            "torch": str(self.torch.__version__),
            "threads": int(self.torch.get_num_threads()),
            "model": ", ".join(type(model).__name__ for model in self.models()),
            "optimizer": ", ".join(type(optimizer).__name__ for optimizer in self.optimizers),
            "loader": "" if loader is None else type(loader).__name__,
            "workers": 0 if source is None else source.workers,
            "rows": None if source is None else batches.rows(source.kept),
        }


def _as_list(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]
