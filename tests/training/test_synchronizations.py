"""Hidden synchronizations: every kind seen once, on its line, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from gpuedu.clock import AsyncDevice
from gpuedu.training.synchronizations import SynchronizationCounter

DEVICE = torch.device("cpu")


def tensors():
    x = torch.tensor([3.0, 1.0, 0.0, 2.0])
    return x, x > 1, x.sum(), torch.tensor([1, 0, 2, 1])


WAITS = {
    ".item()": lambda x, mask, total, index: total.item(),
    ".cpu()": lambda x, mask, total, index: x.cpu(),
    '.to("cpu")': lambda x, mask, total, index: x.to("cpu"),
    ".numpy()": lambda x, mask, total, index: x.numpy(),
    ".tolist()": lambda x, mask, total, index: x.tolist(),
    "bool(tensor)": lambda x, mask, total, index: 1 if total > 3 else 0,
    "float(tensor)": lambda x, mask, total, index: float(total),
    "int(tensor)": lambda x, mask, total, index: int(total),
    "complex(tensor)": lambda x, mask, total, index: complex(total),
    "in tensor": lambda x, mask, total, index: 3.0 in x,
    "print": lambda x, mask, total, index: print(x),
    "torch.equal": lambda x, mask, total, index: torch.equal(x, x),
    "torch.allclose": lambda x, mask, total, index: torch.allclose(x, x),
    "nonzero": lambda x, mask, total, index: mask.nonzero(),
    "boolean mask": lambda x, mask, total, index: x[mask],
    "unique": lambda x, mask, total, index: torch.unique(x),
    "bincount": lambda x, mask, total, index: torch.bincount(index),
    "repeat_interleave": lambda x, mask, total, index: x.repeat_interleave(index),
    "one_hot without num_classes": lambda x, mask, total, index: torch.nn.functional.one_hot(index),
    "torch.tensor of a tensor": lambda x, mask, total, index: torch.tensor([total]),
    "torch.arange of a tensor": lambda x, mask, total, index: torch.arange(index[0]),
    "copy to the device": lambda x, mask, total, index: torch.tensor(1.0, device=DEVICE),
    'torch.as_tensor(device="cpu")': lambda x, mask, total, index: torch.as_tensor(x, device="cpu"),
    "torch.cuda.synchronize": lambda x, mask, total, index: torch.cuda.synchronize(),
}
MORE = [
    ("print", lambda x, mask, total, index: f"{total:.3f}"),
    ("print", lambda x, mask, total, index: repr(x)),
    (".numpy()", lambda x, mask, total, index: np.asarray(x)),
    ("float(tensor)", lambda x, mask, total, index: math.sqrt(total)),
    ("int(tensor)", lambda x, mask, total, index: range(index[0])),
    ("int(tensor)", lambda x, mask, total, index: x[: index[0]]),
    ("int(tensor)", lambda x, mask, total, index: x[index.sum() - 4]),
    ("bool(tensor)", lambda x, mask, total, index: torch.is_nonzero(total)),
    ("bool(tensor)", lambda x, mask, total, index: not mask.any()),
    ("nonzero", lambda x, mask, total, index: torch.where(mask)),
    ("nonzero", lambda x, mask, total, index: torch.argwhere(mask)),
    ("boolean mask", lambda x, mask, total, index: torch.masked_select(x, mask)),
    ("boolean mask", lambda x, mask, total, index: x.__setitem__(mask, -x[:2])),
    ("boolean mask", lambda x, mask, total, index: x.view(2, 2)[:, mask[:2]]),
    ("unique", lambda x, mask, total, index: x.unique_consecutive()),
    ("copy to the device", lambda x, mask, total, index: torch.as_tensor([1, 2], device=DEVICE)),
    ("copy to the device", lambda x, mask, total, index: torch.tensor(np.ones(2), device=DEVICE)),
    ("copy to the device", lambda x, mask, total, index: x.new_tensor([1.0])),
    ("copy to the device", lambda x, mask, total, index: torch.ones(2).to(DEVICE)),
    ("copy to the device", lambda x, mask, total, index: torch.ones(2).to(device=DEVICE)),
    ("copy to the device", lambda x, mask, total, index: x.copy_(torch.ones(4))),
    ("copy to the device", lambda x, mask, total, index: x.__setitem__(0, torch.ones(1))),
]
FREE = [
    lambda x, mask, total, index: torch.where(mask, x, -x),
    lambda x, mask, total, index: x.masked_fill(mask, 0.0),
    lambda x, mask, total, index: x.__setitem__(mask, 0.0),
    lambda x, mask, total, index: x[index],
    lambda x, mask, total, index: x[1:3] + x[-1] * total,
    lambda x, mask, total, index: (x.shape, len(x), x.device, x.dtype, x.numel()),
    lambda x, mask, total, index: [row * 2 for row in x],
    lambda x, mask, total, index: torch.nn.functional.one_hot(index, 3),
    lambda x, mask, total, index: x.repeat_interleave(index, output_size=4),
    lambda x, mask, total, index: torch.tensor(x).clamp(max=2.0),
    lambda x, mask, total, index: x.to(DEVICE).to(torch.float64),
    lambda x, mask, total, index: torch.nn.utils.clip_grad_norm_([torch.nn.Parameter(x)], 1.0),
    lambda x, mask, total, index: torch.ones(3).tolist(),
    lambda x, mask, total, index: torch.arange(4).sum().item(),
    lambda x, mask, total, index: x.to("cpu", non_blocking=True),
    lambda x, mask, total, index: torch.ones(2).to(DEVICE, non_blocking=True),
    lambda x, mask, total, index: torch.ones(2).to(DEVICE, torch.float64, True),
    lambda x, mask, total, index: torch.ones(2).to("cpu").tolist(),
    lambda x, mask, total, index: torch.full((), 3.14, device=DEVICE) * x,
    lambda x, mask, total, index: x.new_full((), 3.14) + x.new_zeros(4),
    lambda x, mask, total, index: torch.tensor([1.0], device="cpu").tolist(),
    lambda x, mask, total, index: torch.zeros(2, device="cpu").sum().item(),
    lambda x, mask, total, index: (x.__setitem__(0, 2.0), x.copy_(torch.tensor(1.0))),
]


@pytest.mark.parametrize(("kind", "call"), [*WAITS.items(), *MORE])
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
def test_each_way_to_wait_is_seen_once(kind, call):
    given = tensors()
    with SynchronizationCounter() as counter:
        call(*given)
    assert [one.kind for one in counter.synchronizations] == [kind]
    assert counter.synchronizations[0].file == __file__
    assert counter.synchronizations[0].line == call.__code__.co_firstlineno


def test_a_list_of_tensors_waits_for_each():
    _, _, total, _ = tensors()
    with SynchronizationCounter() as counter:
        torch.tensor([total, total, 1.0, total])
    assert [one.kind for one in counter.synchronizations] == ["torch.tensor of a tensor"] * 3


@pytest.mark.parametrize("call", FREE)
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
def test_what_stays_on_one_side_does_not_wait(call):
    given = tensors()
    with SynchronizationCounter() as counter:
        call(*given)
    assert counter.synchronizations == []


def test_a_copy_on_the_host_is_free_from_then_on():
    x, *_ = tensors()
    with SynchronizationCounter() as counter:
        there = x.detach().cpu()
        there.numpy(), there.tolist(), (there * 2).sum().item()
        back = there.to(DEVICE)
        back.tolist()
        x.tolist()
    assert [one.kind for one in counter.synchronizations] == [
        ".cpu()",
        "copy to the device",
        ".tolist()",
        ".tolist()",
    ]


def test_a_mixture_is_on_the_device():
    x, *_ = tensors()
    with SynchronizationCounter() as counter:
        (x + torch.ones(4)).tolist()
    assert len(counter) == 1


def test_a_log_on_the_host_waits_and_one_on_the_device_does_not():
    x, *_ = tensors()
    with SynchronizationCounter() as counter:
        here, there = torch.zeros(4), torch.zeros(4, device=DEVICE)
        there[0] = x.sum()
        there.copy_(x)
        here[0] = x.sum()
        here.copy_(x)
    assert [one.kind for one in counter.synchronizations] == ["copy into a host tensor"] * 2


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam"])
def test_a_loop_without_reading_never_waits(kind):
    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.randint(0, 3, (32,)))
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    optimizer = getattr(torch.optim, kind)(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    total = torch.zeros((), device=DEVICE)
    with SynchronizationCounter() as counter:
        for x, y in torch.utils.data.DataLoader(data, 8, shuffle=True):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x.to(DEVICE)), y.to(DEVICE))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.detach()
        assert len(counter) == 0
        total.item()
    assert len(counter) == 1


def test_the_step_and_the_line_are_told():
    x, *_ = tensors()
    with SynchronizationCounter() as counter:
        for step in range(4):
            if step % 2:
                x.sum().item()
            counter.next_step()
    assert [one.step for one in counter.synchronizations] == [1, 3]
    ((file, line, kind), count), *more = counter.by_line.most_common()
    assert (file, kind, count, more) == (__file__, ".item()", 2, [])
    first = counter.synchronizations[0]
    assert (first.line, first.text, first.function) == (
        line,
        "x.sum().item()",
        "test_the_step_and_the_line_are_told",
    )
    assert str(first) == f".item(), line {line}: `x.sum().item()`"


def test_what_a_library_waits_for_is_told_at_the_line_that_called_it():
    scale = torch.ones(3)
    with SynchronizationCounter() as counter:
        torch.distributions.Normal(0.0, scale, validate_args=True)
    assert {one.via for one in counter.synchronizations} == {"Normal.__init__"}
    assert {one.function for one in counter.synchronizations} == {
        "test_what_a_library_waits_for_is_told_at_the_line_that_called_it"
    }


def test_a_simulated_device_can_wait_where_the_real_one_would():
    device = AsyncDevice([1.0], launch_s=0.0)
    loss = torch.ones(3).sum()
    with SynchronizationCounter(on_wait=lambda _: device.sync()):
        for step in range(4):
            device.launch()
            if step == 1:
                float(loss)
    assert device.now() == 2.0


def test_results_and_gradients_are_those_without_it():
    x = torch.linspace(-1, 1, 5, requires_grad=True)
    (x.exp() * 2).sum().cpu().backward()
    y = torch.linspace(-1, 1, 5, requires_grad=True)
    with SynchronizationCounter():
        (y.exp() * 2).sum().cpu().to(DEVICE).backward()
    assert torch.equal(x.grad, y.grad)


def test_stand_ins_count_on_a_machine_with_a_gpu_too(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    x, mask, total, _ = tensors()
    with SynchronizationCounter() as of_a_gpu:  # these tensors are on the host there
        x[mask], total.item(), torch.tensor(1.0, device=DEVICE)
    assert of_a_gpu.synchronizations == []
    with SynchronizationCounter(stand_in=True) as counter:
        x[mask], total.item(), torch.tensor(1.0, device=DEVICE)
        torch.cuda.synchronize()
    assert [one.kind for one in counter.synchronizations] == [
        "boolean mask",
        ".item()",
        "copy to the device",
        "torch.cuda.synchronize",
    ]


def test_afterwards_nothing_is_left():
    synchronize = torch.cuda.synchronize
    with pytest.raises(KeyError), SynchronizationCounter() as counter:
        raise KeyError
    tensors()[0].tolist()
    assert len(counter) == 0
    assert torch.cuda.synchronize is synchronize
