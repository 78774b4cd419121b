# mypy: ignore-errors
"""A DataLoader whose pictures take long to decode, in the loop's own process."""

import argparse
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """Stands for a folder of JPEGs: each takes its time, then is numbers."""

    def __init__(self, decode_s):
        self.decode_s = decode_s

    def __len__(self):
        return 640

    def __getitem__(self, index):
        time.sleep(self.decode_s)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(3, 16, 16, generator=generator), index % 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--decode-ms", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=0)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    loader = DataLoader(
        Pictures(arguments.decode_ms / 1000), batch_size=16, shuffle=True, num_workers=arguments.workers
    )
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 16 * 16, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()
    for epoch in range(90):
        model.train()
        for images, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
