"""Whose the bytes are: by kind, layer and line, each storage once."""

from __future__ import annotations

import copy
import linecache
from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.checkpoint import checkpoint

from gpuedu.training import MLP, SmallResNet, seed_all
from gpuedu.training.errors import OverwrittenError, SimulatedOutOfMemoryError
from gpuedu.training.memory import MemoryWatch, end_of, ledger_at, points


def _forward_ledger(model, make_loss):
    with MemoryWatch(model) as watch:
        watch.enter_phase("forward")
        loss = make_loss()
        watch.enter_phase("backward")
        loss.backward()
    trace = watch.trace()
    return ledger_at(trace, end_of(trace, "forward"))


def _saved(ledger):
    return {row.layer: row.size_bytes for row in ledger.rows if row.kind == "activations"}


def test_the_sum_for_an_mlp_by_hand():
    n, i, h, c = 40, 64, 32, 10
    model = MLP(i, c, hidden=(h,))
    optimizer = torch.optim.Adam(model.parameters())
    images, labels = torch.rand(n, i), torch.randint(c, (n,))
    cross_entropy(model(images), labels).backward()
    optimizer.step()
    optimizer.zero_grad()
    with MemoryWatch(model, optimizer) as watch:
        watch.add_batch(images, labels)
        watch.enter_phase("forward")
        loss = cross_entropy(model(images), labels)
        watch.enter_phase("backward")
        loss.backward()
    trace = watch.trace()
    weights = 4 * ((i + 1) * h + (h + 1) * c)
    forward = ledger_at(trace, end_of(trace, "forward"))
    assert forward.of_kind("weights") == weights
    assert forward.of_kind("optimizer") == 2 * weights + 4 * 4  # a count of steps for each of 4
    assert forward.of_kind("batch") == 4 * n * i + 8 * n
    # ReLU's result, the logarithm of softmax, and the sum of the samples' weights (one number).
    assert forward.of_kind("activations") == 4 * n * h + 4 * n * c + 4
    assert forward.of_kind("gradients") == 0
    assert forward.of_kind("other") == 4  # the loss
    backward = ledger_at(trace, end_of(trace, "backward"))
    assert backward.of_kind("gradients") == weights
    assert backward.of_kind("activations") == 0


def test_a_storage_that_many_save_counts_once_for_the_first():
    model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 8, bias=False))
    x = torch.rand(16, 8)
    ledger = _forward_ledger(model, lambda: model(x).sum())
    # ReLU saves its result; the layer after it saves the same. The inputs are the batch.
    assert _saved(ledger) == {"1": 16 * 8 * 4}
    assert ledger.of_kind("batch") == x.nbytes


def test_a_saved_view_keeps_and_counts_its_whole_storage():
    model = nn.Linear(8, 8, bias=False)
    x = torch.rand(16, 8)
    ledger = _forward_ledger(model, lambda: model(x)[:2, :3].exp().square().sum())
    # exp's small result is a storage of its own; nothing saves the 16 x 8 result of the layer.
    assert ledger.of_kind("activations") == 2 * 3 * 4
    ledger = _forward_ledger(model, lambda: model(x)[:2, :3].square().sum())
    assert ledger.of_kind("activations") == 16 * 8 * 4


def test_in_place_saves_half():
    x = torch.rand(16, 8)

    def sizes(in_place):
        model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(inplace=in_place), nn.Linear(64, 1))
        with MemoryWatch(model) as watch:
            watch.enter_phase("forward")
            loss = model(x).sum()
            watch.enter_phase("backward")
            loss.backward()
        trace = watch.trace()
        end = end_of(trace, "forward")
        forward = points(trace)[: end + 1]
        return ledger_at(trace, end).of_kind("activations"), max(p.live_bytes for p in forward)

    (saved, high), (saved_in_place, high_in_place) = sizes(False), sizes(True)
    assert saved == saved_in_place == 16 * 64 * 4
    assert high - high_in_place == pytest.approx(16 * 64 * 4, abs=16 * 4 + 4)


def test_a_part_of_the_data_counts_as_much_as_the_batch():
    data = torch.rand(10_000, 8)
    model = nn.Linear(8, 2)
    ledger = _forward_ledger(model, lambda: model(data[:16]).sum())
    assert ledger.of_kind("batch") == 16 * 8 * 4


def test_the_line_that_saved_is_told():
    class Curved(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(5))

        def forward(self, x):
            scaled = x * self.scale
            return scaled.tanh()  # this line

    model, x = Curved(), torch.rand(3, 5)
    ledger = _forward_ledger(model, lambda: model(x).sum())
    (row,) = [row for row in ledger.rows if row.kind == "activations"]
    (line,) = row.lines
    file, number = line.rsplit(":", 1)
    text = linecache.getline(__file__, int(number))
    assert file == "test_watch.py" and "# this line" in text and row.layer == "Curved"


def test_buffers_and_tied_weights_stand_once():
    model = SmallResNet(3, 4, width=4)
    model.head.weight = nn.Parameter(torch.zeros(4, 16))
    model.twin = model.head
    images = torch.rand(2, 3, 8, 8)
    ledger = _forward_ledger(model, lambda: model(images).sum())
    assert ledger.of_kind("weights") == sum(p.nbytes for p in model.parameters())
    assert ledger.of_kind("buffers") == sum(b.nbytes for b in model.buffers())


def test_checkpointing_keeps_the_inputs_of_blocks_alone():
    seed_all(0)
    blocks = nn.Sequential(*(nn.Sequential(nn.Linear(32, 32), nn.Tanh()) for _ in range(6)))
    x = torch.rand(64, 32, requires_grad=True)

    def run(states):
        for block in (blocks[:3], blocks[3:]):
            states = checkpoint(block, states, use_reentrant=False)
        return states.sum()

    plain = _forward_ledger(blocks, lambda: blocks(x).sum())
    gradients = [p.grad.clone() for p in blocks.parameters()]
    blocks.zero_grad()
    thrifty = _forward_ledger(blocks, lambda: run(x))
    assert plain.of_kind("activations") == 6 * 64 * 32 * 4
    assert thrifty.of_kind("activations") == 1 * 64 * 32 * 4
    for parameter, gradient in zip(blocks.parameters(), gradients, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=1e-6)


def test_watching_changes_no_gradient():
    seed_all(0)
    model = SmallResNet(1, 10, width=4)
    twin = copy.deepcopy(model)
    images, labels = torch.rand(8, 1, 8, 8), torch.randint(10, (8,))
    cross_entropy(twin(images), labels).backward()
    with MemoryWatch(model):
        cross_entropy(model(images), labels).backward()
    for mine, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(mine.grad, theirs.grad)
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())


@pytest.mark.parametrize("spoil", [lambda h: h.mul_(2), lambda h: h.__setitem__(0, 0.0)])
def test_overwriting_what_backward_needs_is_still_refused(spoil):
    model = nn.Linear(4, 4)
    with MemoryWatch(model), pytest.raises(OverwrittenError, match=r"test_watch\.py:\d+ saved"):
        hidden = model(torch.rand(2, 4)).exp()
        with torch.no_grad():
            spoil(hidden)
        hidden.sum().backward()


def test_a_budget_fails_the_large_batch_and_takes_the_small_one():
    model = MLP(64, 10, hidden=(128,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(size):
        loss = cross_entropy(model(torch.rand(size, 64)), torch.zeros(size, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    fits = []
    with MemoryWatch(model, optimizer, budget_bytes=600_000) as watch:
        for size in (256, 1024, 4096, 128):
            try:
                step(size)
            except torch.OutOfMemoryError:
                optimizer.zero_grad()
            else:
                fits.append(size)
        assert watch.live_bytes < 200_000
    assert fits == [256, 128]
    assert max(point.live_bytes for point in points(watch.trace())) <= 600_000


def test_a_model_that_passes_the_budget_alone_is_refused_and_no_hook_stays():
    model = MLP(64, 10)
    with pytest.raises(SimulatedOutOfMemoryError):
        MemoryWatch(model, budget_bytes=1000).__enter__()
    assert not any(layer._forward_hooks for layer in model.modules())
    model(torch.rand(2, 64)).sum().backward()
    assert not any(p._post_accumulate_grad_hooks for p in model.parameters())


def test_losses_that_keep_their_graphs_are_seen_to_pile_up():
    model, x = MLP(8, 3), torch.rand(16, 8)
    kept, heights = [], []
    with MemoryWatch(model) as watch:
        for _ in range(4):
            kept.append(model(x).square().mean())
            heights.append(watch.live_bytes)
    steps = [after - before for before, after in pairwise(heights)]
    assert len(set(steps)) == 1 and steps[0] > 16 * 128 * 4


class _Planted:
    """An allocator that rounds up, holds strangers, and needs scratch memory between readings."""

    def __init__(self):
        self.watch = None
        self.strangers, self.workspace = 7000, 3000

    def live_bytes(self):
        mine = self.watch.live_bytes * 9 // 8 if self.watch else 0
        return mine + self.strangers + self.workspace

    def peak_bytes(self):
        return 50_000 + self.strangers + self.workspace

    def forget_peak(self):
        self.forgot = True

    def release_workspaces(self):
        let_go, self.workspace = self.workspace, 0
        return let_go


def test_an_allocators_totals_hold_less_strangers_and_workspaces():
    model, allocator = nn.Linear(64, 8, bias=False), _Planted()
    allocator.watch = watch = MemoryWatch(model, allocator=allocator)
    with watch:
        watch.enter_phase("forward")
        loss = model(torch.ones(32, 64)).square().sum()
        counted = watch.live_bytes
    trace = watch.trace()
    assert loss.ndim == 0 and allocator.forgot
    assert trace.highest_reading_bytes - 50_000 == 2048 - 2048 * 9 // 8
    assert trace.workspace_bytes == 3000
    ledger = ledger_at(trace, end_of(trace, "forward"))
    assert ledger.source == "allocator"
    assert ledger.of_kind("activations") == 32 * 64 * 4 + 32 * 8 * 4
    assert ledger.total_bytes == pytest.approx(counted * 9 / 8, abs=300)
