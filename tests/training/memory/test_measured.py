"""The count against measurements that share nothing with it.

PyTorch's profiler is told of every allocation and release by the CPU's allocator itself; the
operating system knows how many pages a process has.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.profiler import ProfilerActivity, profile, record_function

from gpuedu.training import MLP, CharacterGPT, SmallResNet, character_loss, seed_all
from gpuedu.training.memory import end_of, ledger_at, peak_bytes, points, watch_step


def _mlp():
    return (
        MLP(64, 10, hidden=(256, 128), dropout=0.1),
        (torch.rand(256, 64), torch.randint(10, (256,))),
        cross_entropy,
    )


def _resnet():
    return (
        SmallResNet(3, 12, width=8),
        (torch.rand(16, 3, 32, 32), torch.randint(12, (16,))),
        cross_entropy,
    )


def _gpt():
    characters = torch.randint(97, (16, 64))
    return CharacterGPT(97), (characters, characters.roll(-1, 1)), character_loss


def _made(make, optimizer):
    seed_all(0)
    model, batch, loss = make()
    return model, batch, loss, optimizer(model.parameters())


def _profiled(model, batch, loss, optimizer, path):
    """Bytes that the allocator handed out: after forward, after backward, and at most."""

    def step():
        with record_function("##forward"):
            optimizer.zero_grad()
            value = loss(model(batch[0]), batch[1])
        with record_function("##backward"):
            value.backward()
        with record_function("##update"):
            optimizer.step()

    step()
    optimizer.zero_grad()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        step()
    profiled.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    ends = {e["name"]: e["ts"] + e["dur"] for e in events if e["name"].startswith("##")}
    return _follow(
        sorted((e for e in events if e["name"] == "[memory]"), key=lambda e: e["ts"]), ends
    )


def _follow(events, ends):
    live, highest, known, at = 0, 0, {}, {}
    for event in events:
        for name, time in ends.items():
            if event["ts"] > time:
                at.setdefault(name, live)
        size, address = event["args"]["Bytes"], event["args"]["Addr"]
        if size > 0:
            known[address] = size
            live += size
        else:
            live -= known.pop(address, 0)
        highest = max(highest, live)
    return at["##forward"], at.get("##backward", live), highest


@pytest.mark.parametrize("make", [_mlp, _resnet, _gpt])
def test_the_ledger_is_what_the_allocator_handed_out(make, tmp_path):
    forward, backward, highest = _profiled(*_made(make, torch.optim.AdamW), tmp_path / "trace.json")
    trace = watch_step(*_made(make, torch.optim.AdamW))
    before = points(trace)[trace.marks[0].tick - 1].live_bytes
    counted = [
        ledger_at(trace, end_of(trace, phase)).total_bytes - before
        for phase in ("forward", "backward")
    ]
    assert counted == pytest.approx([forward, backward], rel=0.005)
    # Every byte of them has a name: besides the loss nothing is left over.
    assert ledger_at(trace, end_of(trace, "forward")).of_kind("other") == 4
    counted_peak = peak_bytes(trace) - before
    if make is _resnet:  # convolutions take scratch memory, which is inside of an operator
        assert 0.6 * highest < counted_peak <= highest
    else:
        assert counted_peak == pytest.approx(highest, rel=0.005)


_GROWTH = """
import psutil, torch
from torch.nn.functional import cross_entropy
from gpuedu.training import MLP
from gpuedu.training.memory import MemoryWatch, end_of, ledger_at
torch.set_num_threads(1)
model = MLP(64, 10, hidden=(2048,))
images, labels = torch.rand(8192, 64), torch.zeros(8192, dtype=torch.long)
cross_entropy(model(images), labels).backward()
model.zero_grad()
process = psutil.Process()
before = process.memory_info().rss
loss = cross_entropy(model(images), labels)
grown = process.memory_info().rss - before
del loss
with MemoryWatch(model) as watch:
    watch.enter_phase("forward")
    loss = cross_entropy(model(images), labels)
trace = watch.trace()
print(grown, ledger_at(trace, end_of(trace, "forward")).of_kind("activations"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="large blocks are pages of their own on Linux")
def test_a_process_grows_by_the_saved_activations(root):
    done = subprocess.run(
        [sys.executable, "-c", _GROWTH], cwd=root, capture_output=True, text=True, check=True
    )
    grown, counted = map(int, done.stdout.split())
    assert counted == 4 * (8192 * 2048 + 8192 * 10 + 1)
    assert grown == pytest.approx(counted, rel=0.05)
