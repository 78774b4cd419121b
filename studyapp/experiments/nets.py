"""The three nets of the lesson's table and one row for each: a two-layer net, ResNet-50, BERT-base.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from studyapp.experiments.bert import TOKENS, VOCABULARY, bert_base
from studyapp.experiments.claim import Lab
from studyapp.experiments.resnet import SIDE, resnet50

COLUMNS, HIDDEN, CLASSES = 20, 64, 2
"""The tiny net: columns of its table, hidden units, classes; 1,474 parameters."""
NETS = ("two-layer", "resnet-50", "bert-base")
TILE = 4096
"""Random numbers that are repeated to fill the weights."""
WEIGHT_BYTES = {"two-layer": 6e3, "resnet-50": 102e6, "bert-base": 438e6}
"""Bytes of the weights, float32."""
ROW_BYTES = {"two-layer": 1e3, "resnet-50": 86e6, "bert-base": 143e6}
"""Bytes that training keeps per row, float32, counted on the meta device."""
ROW_FLOP = {"two-layer": 2_816.0, "resnet-50": 8.18e9, "bert-base": 21.7e9}
"""Arithmetic of one row forward, a multiply and an add per weight and place. Source: torch's FlopCounterMode."""
ROW_CALLS = {"two-layer": 3, "resnet-50": 175, "bert-base": 127}
"""Operations of one row forward in inference mode, views left out. Source: counted with torch 2.13."""


def build(torch: Any, name: str) -> Any:
    """Return one of `NETS` in training mode, with random weights."""
    if name == "bert-base":
        return _quickly(torch, lambda: bert_base(torch))
    if name == "resnet-50":
        return _quickly(torch, lambda: resnet50(torch)).to(memory_format=torch.channels_last)
    nn = torch.nn
    return nn.Sequential(nn.Linear(COLUMNS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))


def _quickly(torch: Any, make: Callable[[], Any]) -> Any:
    """Return the net with repeated random weights: drawing 110 million of them afresh takes 0.8 s on a core."""
    with torch.device("meta"):
        net = make()
    net = net.to_empty(device="cpu")
    tile = 0.02 * torch.randn(TILE)
    with torch.no_grad():
        for name, tensor in (*net.named_parameters(), *net.named_buffers()):
            if tensor.dim() > 1:
                flat = tensor.view(-1)
                whole = flat[: flat.numel() // TILE * TILE].view(-1, TILE)
                whole.copy_(tile.expand_as(whole))
                flat[whole.numel() :] = tile[: flat.numel() - whole.numel()]
            else:
                tensor.fill_(name.endswith(("weight", "running_var")))
    return net


def rows(torch: Any, name: str, count: int) -> Any:
    """Return so many random rows for a net: values, 224-pixel pictures, or 128-token sentences."""
    if name == "bert-base":
        return torch.randint(VOCABULARY, (count, TOKENS))
    if name == "resnet-50":
        return torch.randn(count, 3, SIDE, SIDE).to(memory_format=torch.channels_last)
    return torch.randn(count, COLUMNS)


def training_step(lab: Lab, name: str, net: Any, batch: Any, *, half: bool = False) -> Callable[[], None]:
    """Return a call that trains the net on a batch once: forward, backward, update; on the net's own device.

    Args:
        lab: The lab.
        name: One of `NETS`: ResNet-50 takes SGD with momentum, the others AdamW, as is usual for them.
        net: The net.
        batch: Its rows.
        half: Whether to run under bfloat16 autocast.
    """
    torch, device = lab.torch, batch.device
    optim = torch.optim
    weights = list(net.parameters())
    update = optim.SGD(weights, 1e-3, momentum=0.9) if name == "resnet-50" else optim.AdamW(weights, 1e-5)
    labels = torch.zeros(len(batch), dtype=torch.long, device=device)

    def step() -> None:
        with torch.autocast(device.type, dtype=torch.bfloat16) if half else nullcontext():
            loss = torch.nn.functional.cross_entropy(net(batch).float(), labels)
        update.zero_grad()
        loss.backward()
        update.step()

    return step
