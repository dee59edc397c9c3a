"""Accelerate on light ranks, held against real processes; and runs that end badly."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError
from gpuedu.exercises.hugging_face.accelerate_alone import train_in_one
from gpuedu.exercises.hugging_face.accelerate_it.play import PLAY
from gpuedu.exercises.hugging_face.accelerate_it.runs import (
    RunTask,
    build,
    loader_of,
    optimizer_of,
    run_training,
    samples,
)
from gpuedu.exercises.hugging_face.light_accelerate import (
    LightDataParallel,
    accelerate_lent,
    light_accelerator,
)
from gpuedu.exercises.hugging_face.reader import weights_of
from gpuedu.exercises.ranks import run_ranks
from gpuedu.multi import launch
from tests.exercises.stored import solution_answers, stored_answers

pytestmark = pytest.mark.filterwarnings("default")
TASK = RunTask(ranks=2, batches=14, size=3, epochs=2, loud=3.0, seed=4)


@pytest.fixture(scope="module")
def solution():
    return solution_answers("accelerate-it")


def in_a_process(train, evaluate, task, folder, stops):
    """Train in real processes, and evaluate: weights, rates and the accuracy of a rank."""
    import warnings
    from pathlib import Path

    from accelerate import Accelerator

    warnings.simplefilter("ignore")
    weights, rates = [], []
    for place, stop in enumerate((*stops, None)):
        model = build(task.seed + place, task.loud)
        optimizer, scheduler = optimizer_of(model, task.updates)

        def note(optimizer, *_, model=model):
            rates.append(optimizer.param_groups[0]["lr"])
            weights.append(weights_of(model))

        optimizer.register_step_post_hook(note)
        accelerator = Accelerator(cpu=True, gradient_accumulation_steps=task.size)
        given = accelerator, model, optimizer, scheduler, loader_of(task), task.epochs
        train(*given, Path(folder), stop)
        accelerator.wait_for_everyone()
    loader = torch.utils.data.DataLoader(samples(23, 1), batch_size=4)
    return accelerator.num_processes, weights, rates, evaluate(accelerator, build(1), loader)


@pytest.mark.parametrize("stops", [(), (4,)])
def test_real_processes_make_the_same_updates(solution, tmp_path, stops):
    train, evaluate = solution["train"], solution["evaluate"]
    ran = launch(in_a_process, 2, train, evaluate, TASK, str(tmp_path), stops, backend="gloo")
    light = run_training(train, RunTask(**(vars(TASK) | {"stops": stops})))
    true = train_in_one(TASK)
    for (processes, weights, rates, accuracy), one in zip(ran.results, light.results, strict=True):
        assert processes == 2
        assert np.array(weights) == pytest.approx(np.array(one.weights), abs=1e-12)
        assert np.array(weights) == pytest.approx(np.array(true.weights), abs=1e-7)
        assert rates == pytest.approx(one.rates)
        assert rates == pytest.approx(true.rates)
        assert accuracy == ran.results[0][3]


def test_a_prepared_scheduler_makes_a_step_for_each_process():
    """The prediction, and the surprise of the text."""
    train = stored_answers("accelerate-it", "wrong", "scheduler_prepared")["train"]
    task = RunTask(ranks=2, batches=8, epochs=1)
    rates = run_training(train, task).results[0].rates
    assert rates == pytest.approx([0.2, 0.1, 0.0, 0.0])


def test_backward_divides_by_the_steps_of_a_whole_group():
    """The text: a group that is shorter counts for less."""
    train = stored_answers("accelerate-it", "wrong", "short_group_is_weak")["train"]
    task = RunTask(batches=1, size=4, epochs=1)
    start = np.array(weights_of(build(task.seed)))
    moved = np.array(run_training(train, task).results[0].weights[0]) - start
    whole = np.array(train_in_one(task).weights[0]) - start
    assert moved == pytest.approx(whole / 4)


def test_a_forward_pass_in_no_sync_exchanges_nothing():
    def body(rank):
        model = torch.nn.Linear(1, 1, bias=False).double()
        parallel = LightDataParallel(model)
        x = torch.full((1, 1), rank + 1.0, dtype=torch.float64)
        with parallel.no_sync():
            parallel(x).sum().backward()
        own = model.weight.grad.item()
        parallel(x).sum().backward()
        return own, model.weight.grad.item(), dist.get_world_size()

    assert run_ranks(body, 2, []).results == ((1.0, 3.0, 2), (2.0, 3.0, 2))


def test_ranks_know_who_they_are():
    def body(rank):
        accelerator = light_accelerator(3)
        return (
            accelerator.process_index,
            accelerator.num_processes,
            accelerator.gradient_accumulation_steps,
            accelerator.is_main_process,
        )

    with accelerate_lent():
        assert run_ranks(body, 2, []).results == ((0, 2, 3, True), (1, 2, 3, False))
    assert torch.nn.parallel.DistributedDataParallel is not LightDataParallel


def test_a_rank_that_fails_is_told(solution):
    def train(accelerator, *_):
        if accelerator.process_index == 1:
            raise ValueError("no data here")
        accelerator.wait_for_everyone()

    with pytest.raises(AnswerError, match="rank 1"):
        run_training(train, TASK)


def test_a_train_that_does_nothing_has_no_updates():
    inputs = {"ask": "train", "task": vars(RunTask(ranks=2, batches=4)) | {"stops": []}}
    seen = PLAY.run([lambda *_: None, None], inputs)
    assert seen["rates"] == [[], []]
