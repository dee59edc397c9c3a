"""What is counted of small programs of which everything is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.bill import bill_of, launches_of, steps_of
from gpuedu.exercises.capstone.metering import metered
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


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_evaluation_counts_the_same_in_both_modes(mode):
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(2, 3)).to(DEVICE)

    def program():
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
        model.eval()
        model(torch.ones(1, 2, device=DEVICE)).sum().backward()

    with pytest.raises(AnswerError, match="trains between"):
        count(program)


def test_no_more_evaluations_than_epochs():
    model = nn.Linear(2, 1)

    def program():
        for _ in range(4):
            model.eval()
            model.train()

    meter = count(program)
    assert bill_of(meter, Store({}), epochs=3, steps=0)["steps"] == 0
    with pytest.raises(AnswerError, match="4 evaluations in 2 epochs"):
        bill_of(meter, Store({}), epochs=2, steps=0)


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
