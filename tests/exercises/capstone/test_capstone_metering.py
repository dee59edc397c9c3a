"""What is counted of small programs of which everything is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.bill import bill_of, launches_of, steps_of
from gpuedu.exercises.capstone.metering import metered, recomputing_seen
from gpuedu.exercises.capstone.plain_values import PlainValues
from gpuedu.exercises.capstone.saved_values import SavedValues
from gpuedu.exercises.capstone.store import Store
from gpuedu.exercises.training.quiet import quiet_torch

DEVICE = torch.device("cpu")
STEPS = 4


@pytest.fixture(autouse=True)
def _quiet():
    with quiet_torch():
        yield


def count(program, **options):
    with metered(**options) as meter:
        program()
    return meter


def test_copies_and_their_bytes():
    def program():
        torch.from_numpy(np.zeros((3, 4), np.float32)).to(DEVICE)
        torch.tensor([1, 2]).to(DEVICE)
        torch.zeros(100, device=DEVICE).to(DEVICE)
        torch.tensor([1.0], device=DEVICE)

    meter = count(program)
    assert meter.copies == [(False, 48), (False, 16), (False, 4)]
    assert meter.waits == []


def test_waits_of_training_and_of_evaluation():
    model = nn.Linear(2, 2)

    def program():
        x = torch.ones(2, device=DEVICE)
        x.sum().item()
        if x.sum() > 1:
            x.tolist()
        train()
        model.eval()
        model(x).cpu()
        model.train()
        torch.ones(2).tolist()

    waits = count(program).waits
    assert [(late, one.kind) for late, one in waits] == [
        (False, ".item()"),
        (False, "bool(tensor)"),
        (False, ".tolist()"),
        (True, ".cpu()"),
    ]
    assert waits[0][1].text == "x.sum().item()"


READS = {
    "a size": lambda x: x.new_empty(x.long()[0], 0).shape[0],
    "the share of a dropout": lambda x: nn.functional.dropout(x, x[0] / 2, False),
    "an error's words": lambda x: _told(x),
    "written": lambda x: torch.add(x, 1, out=torch.empty(3)),
    "added": lambda x: torch.zeros(3).add_(x),
    "queued": lambda x: (x.to("cpu", non_blocking=True) + 1).tolist(),
}


def _told(x):
    try:
        x[x.long() * 9]
    except IndexError as fault:
        return str(fault)


def test_what_stays_on_the_host_costs_nothing():
    def program():
        host = torch.arange(3)
        nn.functional.one_hot(host, 4).float().log_softmax(1).tolist()
        nn.functional.cross_entropy(torch.ones(3, 4), host).item()
        np.asarray(torch.ones(2), dtype=np.float64)
        torch.ones(3, device=DEVICE).to("cpu", non_blocking=True)

    meter = count(program)
    assert (meter.waits, meter.copies, meter.operations) == ([], [], [])


@pytest.mark.parametrize("name", READS)
def test_a_number_that_comes_to_the_host_unasked_is_a_wait(name):
    def program():
        READS[name](torch.ones(3, device=DEVICE))

    assert len(count(program).waits) == 1


HOSTS = {
    "queued": lambda x, host: x.copy_(host, non_blocking=True),
    "as an index": lambda x, host: x[host.long()],
    "put": lambda x, host: x.index_put_((torch.arange(3, device=DEVICE),), host),
    "seen as another": lambda x, host: x + host.view_as(x),
    "sent to a tensor": lambda x, host: host.to(x),
    "typed as another": lambda x, host: host.type_as(x),
    "in a function": lambda x, host: torch.einsum("i,i->i", x, host),
    "spread": lambda x, host: x + host.expand_as(x),
}


@pytest.mark.parametrize("name", HOSTS)
def test_numbers_of_the_host_are_copied_to_the_device(name):
    def program():
        HOSTS[name](torch.zeros(3, device=DEVICE), torch.ones(3))

    assert sum(size for _, size in count(program).copies) == 3 * (8 if "index" in name else 4)


def test_nothing_before_the_first_backward_pass_is_an_evaluation():
    def program():
        nn.ReLU().eval()
        torch.ones(3).to(DEVICE).sum().item()
        nn.ReLU().train()

    meter = count(program)
    assert (meter.evaluations, meter.copies[0][0], meter.waits[0][0]) == (0, False, False)


class Sequence:
    def __getitem__(self, at):
        return 1

    def __len__(self):
        return 1


@pytest.mark.parametrize("given", [Sequence(), print, (one for one in [1])])
def test_functions_of_pytorch_run_no_lines_of_the_program(given):
    told = pytest.raises(AnswerError, match="`tensor` is given an object of type")
    with told, PlainValues():
        count(lambda: torch.tensor([given, torch.ones(1, device=DEVICE)]))
    with told, PlainValues():
        torch.tensor(given)


def test_what_is_computed_again_in_a_backward_pass_is_seen():
    times = []

    def part(x):
        times.append(x.sum().item())
        return (x * 2).exp()

    def program():
        x = torch.ones(3, device=DEVICE, requires_grad=True) * 1
        torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False).sum().backward()

    with recomputing_seen():
        meter = count(program)
    assert len(meter.waits) == len(times) == 2
    parts = [one.part for one in meter.operations if one.name == "exp"]
    assert parts == ["forward", "forward"]


def plain_step(model, optimizer, x):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()


def in_place(model, x):
    rate = torch.full((), 0.1, device=DEVICE)
    model.zero_grad()
    model(x).square().mean().backward()
    with torch.no_grad():
        for weight in model.parameters():
            weight.sub_(rate * weight.grad)


def by_foreach(model, x):
    plain_step(model, torch.optim.SGD(model.parameters(), 0.1, foreach=True), x)


def by_fused(model, x):
    plain_step(model, torch.optim.SGD(model.parameters(), 0.1, fused=True), x)


def by_vector(model, x):
    model.zero_grad()
    model(x).square().mean().backward()
    with torch.no_grad():
        flat = torch.cat([weight.flatten() for weight in model.parameters()])
        flat = flat - 0.1 * torch.cat([weight.grad.flatten() for weight in model.parameters()])
        nn.utils.vector_to_parameters(flat, model.parameters())


def by_returned_gradients(model, x):
    weights = list(model.parameters())
    gradients = torch.autograd.grad(model(x).square().mean(), weights)
    with torch.no_grad():
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.sub_(0.1 * gradient)


@pytest.mark.parametrize("step", [in_place, by_foreach, by_fused, by_vector, by_returned_gradients])
def test_steps_however_weights_are_written(step):
    def program():
        model, x = nn.Linear(4, 3).to(DEVICE), torch.ones(2, 4).to(DEVICE)
        for _ in range(STEPS):
            step(model, x)
        model(x)

    steps = steps_of(count(program).operations)
    assert len(steps) == STEPS
    # A matmul of 2x4x3 forward, and one for the gradient of the weights.
    assert {sum(one.flop for one in each) for each in steps} == {2 * 2 * (2 * 4 * 3)}
    assert all(launches_of(each)["forward"] == 4 for each in steps)


@pytest.mark.parametrize("round_", range(30))
def test_steps_are_found_where_memory_is_used_again(round_):
    kept = [torch.empty(size) for size in range(1, 1 + round_ % 13)]  # other addresses each time
    test_steps_however_weights_are_written(by_vector)
    assert len(kept) == round_ % 13


def test_launches_by_part():
    def program():
        model, x = nn.Linear(4, 3).to(DEVICE), torch.ones(2, 4).to(DEVICE)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(STEPS):
            plain_step(model, optimizer, x * 2 + 1)

    steps = [launches_of(each) for each in steps_of(count(program).operations)]
    # Two for the batch; addmm, pow, mean, and the ones that backward starts from; one update.
    last = steps[-1]
    assert (last["preparation"], last["forward"], last["update"]) == (2, 4, 1)
    assert last["backward"] > last["forward"]


def test_what_stays_alive_after_each_step_is_growth():
    def program(keep):
        model, x = nn.Linear(4, 3).to(DEVICE), torch.ones(2, 4).to(DEVICE)
        optimizer, kept = torch.optim.SGD(model.parameters(), 0.1), []
        for _ in range(STEPS):
            scores = model(x)
            optimizer.zero_grad()
            scores.square().mean().backward()
            optimizer.step()
            kept += [scores.detach()] if keep else []

    growths = [
        bill_of(count(lambda keep=keep: program(keep)), Store({}), epochs=1, steps=STEPS)["growth"]
        for keep in (True, False)
    ]
    assert growths == [2 * 3 * 4, 0]


def train():
    """What comes before a backward pass is no evaluation."""
    torch.ones(2, device=DEVICE, requires_grad=True).sum().backward()


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_evaluation_counts_the_same_in_both_modes(mode):
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(2, 3)).to(DEVICE)

    def program():
        train()
        model.eval()
        with mode():
            model(torch.ones(5, 1, 3, 3, device=DEVICE))
        model.train()

    bill = bill_of(count(program), Store({}), epochs=1, steps=0)
    assert (bill["evaluation_batch"], bill["evaluation_recorded"]) == (5, 0)
    flop = sum(one.flop for one in count(program).operations)
    assert flop == 2 * 5 * (9 * 2 + 2 * 3)


def test_nothing_is_written_past_the_copy_to_the_device():
    seen = []

    def program():
        array, host = np.zeros(3, np.float32), torch.zeros(3)
        sent, moved = torch.from_numpy(array).to(DEVICE), host.to(DEVICE)
        array += 1
        host += 1
        read, view = sent.cpu(), sent.numpy()
        read += 1
        view += 1
        seen.extend([*sent.tolist(), *moved.tolist()])

    count(program)
    assert seen == [0.0] * 6


def test_no_training_in_an_evaluation():
    model = nn.Linear(2, 1)

    def program():
        train()
        model.eval()
        train()

    with pytest.raises(AnswerError, match="trains between"):
        count(program)


def test_no_more_evaluations_than_epochs():
    model = nn.Linear(2, 1)

    def program():
        train()
        for _ in range(4):
            model.eval()
            model.eval()
            torch.ones(2, device=DEVICE).exp()
            model.train()

    meter = count(program)
    assert bill_of(meter, Store({}), epochs=4, steps=0)["steps"] == 0
    with pytest.raises(AnswerError, match="4 evaluations in 3 epochs"):
        bill_of(meter, Store({}), epochs=3, steps=0)


def test_no_more_steps_than_a_run_has():
    def program():
        model, x = nn.Linear(4, 3).to(DEVICE), torch.ones(2, 4).to(DEVICE)
        for _ in range(4):
            in_place(model, x)

    meter = count(program)
    assert bill_of(meter, Store({}), epochs=1, steps=3)["steps"] == 4
    with pytest.raises(AnswerError, match=r"4 times weights are written .*, in 2 steps"):
        bill_of(meter, Store({}), epochs=1, steps=2)


def attention(is_fused):
    parts = torch.randn(3, 1, 2, 8, 4, device=DEVICE, requires_grad=True)

    def program():
        query, key, value = parts * 1
        if is_fused:
            mixed = nn.functional.scaled_dot_product_attention(query, key, value)
        else:
            mixed = (query @ key.mT).softmax(-1) @ value
        mixed.sum().backward()

    return program


def test_saved_numbers_of_attention():
    # Query, key and value are one storage; then what is mixed and a sum for each row, or 8x8 scores
    # for each head.
    fused, plain = (count(attention(one), saves=True).most_saved for one in (True, False))
    assert fused == 64 + 64 + 64 + 64 + 16 - 2 * 64
    assert plain >= 64 + 2 * 8 * 8 > fused - 64


def test_saved_numbers_leave_weights_out_in_every_precision():
    model, x = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)), torch.ones(2, 4, device=DEVICE)

    def program(is_half):
        with torch.autocast("cpu", torch.bfloat16, enabled=is_half):
            scores = model(x)
        scores.float().sum().backward()

    found = [
        count(lambda half=half: program(half), saves=True).most_saved for half in (False, True)
    ]
    assert found == [2 * 4 + 2 * 3] * 2


def test_what_is_saved_at_once_not_in_all():
    x = torch.ones(5, requires_grad=True)
    with SavedValues(lambda tensor: False) as saved:
        for _ in range(3):
            x.exp().sum().backward()
    assert saved.most == 5
    with SavedValues(lambda tensor: False) as saved:
        sum(x.exp().sum() for _ in range(3)).backward()
    assert saved.most == 15


def test_what_was_saved_must_not_be_overwritten():
    x = torch.ones(5, requires_grad=True)
    with SavedValues(lambda tensor: False):
        y = x.exp()
        with torch.no_grad():
            y.zero_()
        with pytest.raises(RuntimeError, match="overwritten in place"):
            y.sum().backward()


def test_half_precision_is_told_by_operation():
    x = torch.ones(2, 4, device=DEVICE)

    def program():
        x @ x.T
        x.bfloat16() @ x.T.bfloat16()

    matmuls = [one for one in count(program).operations if one.flop]
    assert [one.is_half for one in matmuls] == [False, True]
