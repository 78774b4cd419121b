# mypy: ignore-errors
"""The plain loop again, with the five lines that put it into the dock."""

import torch

try:
    from studydock import steps
except ImportError:

    def steps(batches, **_):
        return batches


torch.manual_seed(0)
x = torch.randn(4096, 64)
y = x.sum(dim=1, keepdim=True)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
optimizer = torch.optim.Adam(model.parameters())


class Slices:
    def __iter__(self):
        return ((x[start : start + 128], y[start : start + 128]) for start in range(0, len(x), 128))


for epoch in range(int(__import__("os").environ.get("EPOCHS", "1000"))):
    for xb, yb in steps(Slices(), model=model, optimizer=optimizer):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}")
