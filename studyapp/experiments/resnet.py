"""ResNet-50, built from `lab.torch` alone, and the count of what its forward pass keeps.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
Source: He, Zhang, Ren and Sun, "Deep Residual Learning for Image Recognition", 2015, with the stride in the 3x3
convolution as torchvision has it: 25,557,032 parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Inner channels, blocks and first stride of each stage."""
EXPANSION, CLASSES, SIDE = 4, 1000, 224
"""Outer over inner channels; ImageNet's classes; ImageNet's usual side in pixels."""


def resnet50(torch: Any) -> Any:
    """Return the network in training mode, on torch's current default device (meta costs nothing)."""
    nn = torch.nn

    def conv(ins: int, outs: int, size: int, stride: int = 1) -> list[Any]:
        return [nn.Conv2d(ins, outs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outs)]

    class Bottleneck(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, ins: int, inner: int, stride: int) -> None:
            super().__init__()
            outs = inner * EXPANSION
            narrow = [*conv(ins, inner, 1), nn.ReLU(True), *conv(inner, inner, 3, stride), nn.ReLU(True)]
            self.body = nn.Sequential(*narrow, *conv(inner, outs, 1))
            same = stride == 1 and ins == outs
            self.skip = nn.Identity() if same else nn.Sequential(*conv(ins, outs, 1, stride))

        def forward(self, x: Any) -> Any:
            return torch.relu_(self.body(x) + self.skip(x))

    layers: list[Any] = [*conv(3, 64, 7, 2), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
    ins = 64
    for inner, blocks, stride in STAGES:
        for block in range(blocks):
            layers.append(Bottleneck(ins, inner, stride if block == 0 else 1))
            ins = inner * EXPANSION
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ins, CLASSES))


def parameter_bytes(net: Any) -> int:
    """Return the bytes of the net's weights."""
    return sum(p.numel() * p.element_size() for p in net.parameters())


def kept_bytes(torch: Any, net: Any, batch: Any, forward: Callable[[Any], Any] | None = None) -> int:
    """Return the bytes a forward pass keeps for the backward pass, weights and buffers not counted.

    Every distinct storage that autograd saves counts once, the batch itself among them. Exact on meta tensors.

    Args:
        torch: The torch module.
        net: The net, whose own weights and buffers are left out.
        batch: What it is given.
        forward: Another way of running the net, the net itself when None.
    """
    owned = {t.untyped_storage()._cdata for t in (*net.parameters(), *net.buffers())}
    kept: dict[int, int] = {}

    def save(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage._cdata not in owned:
            kept[storage._cdata] = storage.nbytes()
        return tensor  # held by the graph until the end, so that no storage is counted under a reused address

    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        answer = (forward or net)(batch)
    del answer
    return sum(kept.values())
