"""Five usual vision nets for 224-pixel pictures, built from `lab.torch` alone.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
Sources: He et al. 2015 (ResNet), Simonyan and Zisserman 2014 (VGG), Sandler et al. 2018 (MobileNetV2), Dosovitskiy
et al. 2020 (ViT), all with torchvision's numbers: the tests hold their parameter counts to the published ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studyapp.experiments.resnet import resnet50

CLASSES = 1000


def resnet18(torch: Any) -> Any:
    """Return ResNet-18: 11,689,512 parameters."""
    nn = torch.nn

    class Basic(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, ins: int, outs: int, stride: int) -> None:
            super().__init__()
            first = [*_conv(nn, ins, outs, 3, stride), nn.ReLU(True)]
            self.body = nn.Sequential(*first, *_conv(nn, outs, outs, 3))
            self.skip = nn.Identity() if ins == outs else nn.Sequential(*_conv(nn, ins, outs, 1, stride))

        def forward(self, x: Any) -> Any:
            return torch.relu_(self.body(x) + self.skip(x))

    layers: list[Any] = [*_conv(nn, 3, 64, 7, 2), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
    for ins, outs, stride in ((64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)):
        layers += [Basic(ins, outs, stride), Basic(outs, outs, 1)]
    return nn.Sequential(*layers, *_head(nn, 512))


def vgg16(torch: Any) -> Any:
    """Return VGG-16 without batch norm: 138,357,544 parameters."""
    nn = torch.nn
    layers: list[Any] = []
    ins = 3
    for outs, times in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(times):
            layers += [nn.Conv2d(ins, outs, 3, padding=1), nn.ReLU(True)]
            ins = outs
        layers.append(nn.MaxPool2d(2))
    hidden = [nn.Linear(512 * 49, 4096), nn.ReLU(True), nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(True)]
    return nn.Sequential(*layers, nn.Flatten(), *hidden, nn.Dropout(), nn.Linear(4096, CLASSES))


def mobilenet_v2(torch: Any) -> Any:
    """Return MobileNetV2: 3,504,872 parameters."""
    nn = torch.nn

    class Inverted(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, ins: int, outs: int, stride: int, factor: int) -> None:
            super().__init__()
            inner = ins * factor
            wider = [*_conv(nn, ins, inner, 1), nn.ReLU6(True)] if factor > 1 else []
            deep = [*_conv(nn, inner, inner, 3, stride, groups=inner), nn.ReLU6(True)]
            self.body = nn.Sequential(*wider, *deep, *_conv(nn, inner, outs, 1))
            self.adds = stride == 1 and ins == outs

        def forward(self, x: Any) -> Any:
            return x + self.body(x) if self.adds else self.body(x)

    layers: list[Any] = [*_conv(nn, 3, 32, 3, 2), nn.ReLU6(True)]
    stages = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    ins = 32
    for factor, outs, blocks, stride in stages:
        for block in range(blocks):
            layers.append(Inverted(ins, outs, stride if block == 0 else 1, factor))
            ins = outs
    return nn.Sequential(*layers, *_conv(nn, ins, 1280, 1), nn.ReLU6(True), *_head(nn, 1280))


def vit_b16(torch: Any) -> Any:
    """Return ViT-B/16: 86,567,656 parameters."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(768), nn.LayerNorm(768)
            self.mix, self.out = nn.Linear(768, 3 * 768), nn.Linear(768, 768)
            self.inner = nn.Sequential(nn.Linear(768, 3072), nn.GELU(), nn.Linear(3072, 768))

        def forward(self, x: Any) -> Any:  # (rows, patches, width)
            heads = self.mix(self.first(x)).unflatten(-1, (3, 12, 64)).permute(2, 0, 3, 1, 4)
            mixed = nn.functional.scaled_dot_product_attention(*heads)
            x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
            return x + self.inner(self.second(x))

    class Vit(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, 768, 16, 16)
            self.first = nn.Parameter(torch.zeros(1, 1, 768))
            self.places = nn.Parameter(torch.zeros(1, 197, 768))
            self.blocks = nn.Sequential(*(Block() for _ in range(12)), nn.LayerNorm(768))
            self.answer = nn.Linear(768, CLASSES)

        def forward(self, x: Any) -> Any:
            cut = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first.expand(len(cut), -1, -1), cut], 1) + self.places
            return self.answer(self.blocks(x)[:, 0])

    return Vit()


def _conv(nn: Any, ins: int, outs: int, size: int, stride: int = 1, groups: int = 1) -> list[Any]:
    plain = nn.Conv2d(ins, outs, size, stride, size // 2, groups=groups, bias=False)
    return [plain, nn.BatchNorm2d(outs)]


def _head(nn: Any, ins: int) -> list[Any]:
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ins, CLASSES)]


NETS: dict[str, Callable[[Any], Any]] = {
    "MobileNet": mobilenet_v2,
    "ResNet-18": resnet18,
    "ResNet-50": resnet50,
    "VGG-16": vgg16,
    "ViT-B/16": vit_b16,
}
"""Small to large."""
