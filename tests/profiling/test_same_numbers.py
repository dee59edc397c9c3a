"""A watched script computes what it computes alone, to the bit, whatever of PyTorch it uses."""

from __future__ import annotations

import warnings

import torch

MUCH = """\
import copy
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(3)
device = "cuda" if torch.cuda.is_available() else "cpu"


class Double(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return 2 * x

    @staticmethod
    def backward(context, gradient):
        (x,) = context.saved_tensors
        return 2 * gradient


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        generator = torch.Generator().manual_seed(5)
        for _ in range(400):
            yield {"x": torch.randn(16, generator=generator), "at": torch.randint(9, (3,), generator=generator)}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.EmbeddingBag(9, 16, sparse=True)
        self.layer, self.norm = nn.Linear(16, 16), nn.BatchNorm1d(16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.head = nn.Linear(16, 16)
        self.head.weight = self.layer.weight

    def forward(self, x, at):
        x = x + self.table(at)
        x = checkpoint(self.layer, x, use_reentrant=False)
        x = Double.apply(self.norm(x))
        x = self.attention(x[:, None], x[:, None], x[:, None])[0][:, 0]
        return self.head(nn.functional.dropout(x, 0.1, self.training))


model = Model().to(device)
average = copy.deepcopy(model)
sparse = torch.optim.SparseAdam(list(model.table.parameters()))
others = [p for name, p in model.named_parameters() if not name.startswith("table")]
optimizer = torch.optim.AdamW(others)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.9**step)
losses = []
for step, batch in enumerate(torch.utils.data.DataLoader(Stream(), batch_size=8)):
    x = batch["x"].to(device).requires_grad_()
    with torch.autocast(device, torch.bfloat16, enabled=step % 2 == 0):
        out = model(x, batch["at"].to(device))
        loss = out.float().square().mean() + torch.fft.rfft(out.float()).abs().mean()
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    loss = loss + slope.square().sum()
    squares = torch.func.vmap(torch.func.grad(lambda row: row.square().sum()))(x.detach())
    loss.backward()
    nn.utils.clip_grad_norm_(others, 1.0)
    sparse.step()
    optimizer.step()
    schedule.step()
    model.zero_grad()
    with torch.no_grad():
        for mine, other in zip(average.parameters(), model.parameters()):
            mine.lerp_(other, 0.1)
        if step % 5 == 4:
            average.eval()
            with torch.inference_mode():
                average(x.detach(), batch["at"])
    losses.append(float(loss.detach() + squares.sum()))
    if step == 17:
        break
torch.save(losses, OUT)
"""


def test_watching_changes_no_number(watch, tmp_path):
    alone, watched = tmp_path / "alone.pt", tmp_path / "watched.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(MUCH.replace("OUT", repr(str(alone))), "alone.py", "exec"), {"__name__": "x"})
    seen = watch(MUCH.replace("OUT", repr(str(watched))), steps=12, warmup=2, whole=True)
    assert torch.load(watched) == torch.load(alone)
    assert len(seen.steps) == 18 and seen.counted == 6 and seen.operators
