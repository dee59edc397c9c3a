"""DistributedDataParallel in real processes: references, what a card says, torchrun."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp_in_practice.torch_ddp import ddp_ranks, meetings
from gpuedu.exercises.ddp_in_practice.torch_ddp.judge import torch_ddp_trainings
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import EpochTask
from gpuedu.exercises.ddp_in_practice.torch_ddp.play import plain_training
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    NotingData,
    build_model,
    make_samples,
)
from gpuedu.exercises.ddp_in_practice.torch_ddp.updates_alone import epoch_alone
from gpuedu.exercises.ranks.launching import launch_ranks
from tests.exercises.ddp_in_practice.practice_answers import (
    fault,
    hand_in,
    lost,
    train,
    train_epoch,
)
from tests.exercises.parts import measures_of, pictures_of
from tests.exercises.scripts import run_script
from tests.sampled import only_whole

MEASURES = measures_of("ddp-in-practice")

PICTURES = pictures_of("ddp-in-practice")

TASK = {"samples": 21, "epochs": 2, "batch": 3, "every": 2, "seed": 4}


# without processes


def test_a_loss_is_the_mean_of_all_samples():
    task = EpochTask((4, 1), 2, seed=3)
    model, batches = build_model(3), [one for rank in range(2) for one in task.batches(rank)]
    x, y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    assert epoch_alone(task, 2).loss == pytest.approx(cross_entropy(model(x), y).item())


def test_data_note_what_is_drawn():
    data = NotingData(*make_samples(5, 1))
    assert [len(data), data[2][0].shape, data[torch.tensor(4)][1].shape] == [5, (5,), ()]
    assert data[:2][0].shape == (2, 5)
    assert data[-1][1] == data[4][1]
    assert data.drawn == [2, 4, 0, 1, 4, 4]
    with pytest.raises(IndexError):
        data[5]


def _training(drawn, state=None, losses=(1.0, 1.0)):
    names = torch_ddp_trainings.arrays_of(build_model(4))
    return {"drawn": drawn, "state": names if state is None else state, "losses": list(losses)}


def _told(*found):
    return {
        one.property: f"{one.message} {one.cause}"
        for one in torch_ddp_trainings.training_faults(TASK, found)
    }


def test_draws_of_all_samples_on_every_rank_are_told():
    everything = [*range(21), *range(21)]
    told = _told(*[_training(everything)] * 2)["epochs"]
    assert "drew 42 in 2 epochs, expected 22: 11 in each" in told


def test_a_sample_that_nobody_drew_is_named():
    mine = [*range(11)] * 2
    assert "no rank drew sample 11" in _told(*[_training(mine)] * 2)["epochs"]


@pytest.mark.parametrize(
    "order",
    [[*range(11)], [*range(10, -1, -1)]],
)
def test_an_order_that_comes_again_is_told(order):
    found = [_training(order * 2), _training([*range(10, 21)] * 2)]
    assert "epochs 0 and 1 have the same order" in _told(*found)["epochs"]


def test_a_wrappers_names_are_told():
    state = {f"module.{name}": one for name, one in _training([])["state"].items()}
    told = _told(*[_training([], state)] * 2)["alike"]
    assert "`module.0.weight`" in told


def test_a_loss_too_few_is_told():
    assert "gave 1 loss on" in _told(*[_training([], losses=[1.0])] * 2)["loss"]


# With processes. CI has one of each kind: a slip that the card names, ranks that do not fit together,
# a rank that fails, a script.


@only_whole
def test_who_talks_to_nobody_is_told():
    def alone(ddp, optimizer, batches, every):
        for x, y in batches[::every]:
            optimizer.zero_grad()
            cross_entropy(ddp.module(x), y).backward()
            optimizer.step()
        return 0.0

    report = hand_in("torch-ddp", train_epoch=alone)
    assert {"equal", "short", "once", "loss"} == lost(report)
    assert "0 times before update 1" in fault(report, "once")


@only_whole
def test_an_epoch_that_does_nothing_keeps_no_points():
    report = hand_in("torch-ddp", train_epoch=lambda ddp, optimizer, batches, every: 0.5)
    assert lost(report) == {"equal", "short", "once", "loss"}
    assert "made 0 updates" in fault(report, "equal")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "should return two things"),
        (({}, 1.0), "the losses of `train` should be a list"),
        (([], [1.0]), "should be a dict"),
        (({1: 2}, []), "a name in the state"),
        (({"0.weight": 3}, []), "should be a PyTorch tensor"),
        (({}, [None]), "loss 0 of `train`"),
    ],
)
def test_what_train_returns_has_a_form(given, says):
    with pytest.raises(AnswerError, match=says):
        plain_training({"given": given, "drawn": []})


def _with(epoch):
    """A training that calls another epoch."""

    def train(model, data, epochs, batch, every, optimizer_for):
        ddp = DistributedDataParallel(model)
        optimizer, batches = optimizer_for(model.parameters()), [(data[:2]), (data[2:4])]
        return model.state_dict(), [epoch(ddp, optimizer, batches, 1) for _ in range(epochs)]

    return train


def _sums_on_rank_0(ddp, optimizer, batches, every):
    loss = torch.tensor(train_epoch(ddp, optimizer, batches, every))
    if dist.get_rank() == 0:
        dist.all_reduce(loss)
    return loss.item()


def _drops_a_batch_on_rank_1(ddp, optimizer, batches, every):
    if dist.get_rank() == 1:
        batches = batches[:-1]
    return train_epoch(ddp, optimizer, batches, every)


@only_whole
def test_a_collective_on_one_rank_is_told():
    report = hand_in("torch-ddp", train_epoch=_sums_on_rank_0, train=_with(_sums_on_rank_0))
    assert lost(report) == {"equal", "short", "once", "loss", "epochs", "alike"}
    told = fault(report, "loss")
    assert "rank 0 waits in all_reduce (line" in told
    assert "`dist.all_reduce(loss)`); rank 1 has returned from `train_epoch` without it" in told
    assert "Do all ranks make the same calls" in told
    told = fault(report, "alike")
    assert "rank 0 waits in all_reduce (line" in told
    assert "rank 1 has come to a forward pass of `ddp`" in told
    for draw in (
        lambda: PICTURES["torch-ddp"](_with(_sums_on_rank_0)),
        lambda: MEASURES["torch-ddp"](_sums_on_rank_0),
    ):
        with pytest.raises(AnswerError, match=r"rank 0 waits in all_reduce .*; rank 1 has "):
            draw()


@only_whole
def test_a_batch_less_on_one_rank_is_told():
    report = hand_in("torch-ddp", train_epoch=_drops_a_batch_on_rank_1)
    told = fault(report, "equal")
    assert "rank 0 has come to a forward pass of `ddp` in `no_sync()`" in told
    assert "rank 1 has come to a forward pass of `ddp` (line" in told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("rank 1 waits in call 2, all_gather", "rank 1 has returned from `train`"),
        ("rank 1 waits in call 2, all_gather (line 3: `ddp(x)`)", "waits in `ddp` (line 3: `ddp("),
        ("waits in call 2, all_gather (line 3: `dist.all_gather(a, b)`)", "call 2, all_gather (l"),
    ],
)
def test_a_rank_that_waits_in_a_meeting_is_told_as_what_it_did(said, told):
    assert told in meetings._tell_late(f"rank 0 computes; {said}", "train")


@only_whole
def test_a_rank_that_fails_is_told_with_its_line():
    def fails(model, data, batch):
        return 1 / (dist.get_rank() - 1)

    report = hand_in("torch-ddp", accuracy=fails)
    assert lost(report) == {"accuracy"}
    assert "rank 1 failed: ZeroDivisionError" in fault(report, "accuracy")


@only_whole
def test_a_rank_with_a_batch_less_is_waited_for_and_told():
    def per_batch(model, data, batch):
        hits = torch.zeros(1)
        for number in range(dist.get_rank(), len(data), dist.get_world_size()):
            x, y = data[number]
            hit = (model(x[None]).argmax() == y).float()
            dist.all_reduce(hit)
            hits += hit
        return hits / len(data)

    report = hand_in("torch-ddp", accuracy=per_batch)
    assert lost(report) == {"accuracy"}
    assert "rank" in fault(report, "accuracy")


SCRIPT = """
import sys
import torch
import torch.distributed as dist
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import NotingData, build_model, make_samples
from gpuedu.exercises.ddp_in_practice.torch_ddp.ddp_ranks import make_optimizer
from tests.exercises.ddp_in_practice.practice_answers import train

if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    data, model = NotingData(*make_samples(21, 4)), build_model(4 + dist.get_rank())
    state, losses = train(model, data, 2, 3, 2, make_optimizer)
    if dist.get_rank() == 0:
        torch.save(state, sys.argv[1])
    dist.barrier()  # on a busy machine, a rank whose peer is gone already can abort at its end
    dist.destroy_process_group()
"""


@only_whole
def test_a_script_under_torchrun_gets_the_weights_of_a_launch(tmp_path):
    left = tmp_path / "model.pt"
    run_script(tmp_path / "train.py", SCRIPT, str(left))
    run = launch_ranks(ddp_ranks.run_trainings, 2, train, [TASK])
    for tasks in run.results:
        state, _ = tasks[0]["given"]
        for name, wanted in torch.load(left).items():
            assert np.allclose(state[name], wanted, rtol=0, atol=1e-12)
