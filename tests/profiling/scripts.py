"""A training script with nothing to find, and the same with one fault planted."""

from __future__ import annotations

from pathlib import Path

CLEAN = """\
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Numbers(Dataset):
    def __init__(self):
        self.x, self.y = torch.randn(2048, 64), torch.randint(16, (2048,))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, at):
        return self.x[at], self.y[at]


def build():
    layers = [nn.Linear(64, 256), nn.ReLU()]
    for _ in range(3):
        layers += [nn.Linear(256, 256), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(256, 16))


def train():
    model = build().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Numbers(), batch_size=32, shuffle=True, pin_memory=True)
    total, kept = torch.zeros((), device=device), []
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        with torch.autocast(device.type, torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        time.sleep(0.01)
        if step % 7 == 0:
            print(total.item())


if __name__ == "__main__":
    train()
"""

END_OF_STEP = "        time.sleep(0.01)\n"


class Clock:
    """A clock that nothing moves but ``sleep``."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def sleep(self, time_s: float) -> None:
        self.now_s += time_s

    def __call__(self) -> float:
        return self.now_s


def planted(old: str, new: str) -> str:
    """The clean script with one edit; ``old`` must be in it."""
    assert old in CLEAN
    return CLEAN.replace(old, new)


def at_end_of_step(line: str) -> str:
    """The clean script with more lines in each step."""
    inside = "".join(f"        {one}\n" for one in line.splitlines())
    return planted(END_OF_STEP, inside + END_OF_STEP)


def write(folder: Path, text: str, name: str = "train.py") -> Path:
    """The script as a file."""
    path = folder / name
    path.write_text(text, "utf-8")
    return path
