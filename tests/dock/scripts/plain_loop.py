# mypy: ignore-errors
"""Training as a first tutorial writes it: tensors in memory, a loop over steps, nothing else."""

import torch

torch.manual_seed(0)
x = torch.randn(4096, 64)
y = x.sum(dim=1, keepdim=True)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
optimizer = torch.optim.Adam(model.parameters())

for epoch in range(1000):
    for start in range(0, len(x), 128):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x[start : start + 128]), y[start : start + 128])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}")
