"""checkpointing: what is judged, by which bounds, and what the card says."""

from __future__ import annotations

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from gpuedu.exercises.training_step.checkpointing import judge as checkpointing
from gpuedu.exercises.training_step.checkpointing.block_stacks import (
    Stack,
    build_stack,
    count_flop,
    passing_peak,
    run_step,
    segments_of,
    watch_stack,
)
from gpuedu.exercises.training_step.checkpointing.judge.segments import best, predicted
from gpuedu.exercises.training_step.checkpointing.plain_step import plain_step
from tests.exercises.training_step.step_answers import (
    best_k,
    checkpointed_step,
    fault,
    hand_in,
    lost,
    predicted_bytes,
)

COSTS = checkpointing.COSTS


@pytest.mark.parametrize(("blocks", "k"), [(16, 4), (7, 3), (5, 5), (11, 1), (13, 4)])
def test_segments_are_as_even_as_can_be_and_the_largest_is_last(blocks, k):
    sizes = [len(segment) for segment in segments_of([torch.nn.ReLU()] * blocks, k)]
    assert sum(sizes) == blocks and len(sizes) == k
    assert max(sizes) - min(sizes) <= 1
    assert sizes[-1] == max(sizes) == -(-blocks // k)


@pytest.mark.parametrize("segments", [2, 4, 8])
def test_the_formula_is_the_peak_but_for_what_passes(segments):
    stack = Stack(24, segments)
    sizes = stack.blocks, segments, stack.kept_bytes, stack.inside_bytes
    beyond = passing_peak(watch_stack(checkpointed_step, stack)) - predicted(*sizes)
    assert 0 <= beyond <= checkpointing.PASSING * stack.kept_bytes


def test_an_ordinary_step_is_far_above_the_bound_and_a_checkpointed_one_below():
    assert passing_peak(watch_stack(plain_step, COSTS)) > 1.2 * checkpointing.most_bytes(COSTS)
    assert passing_peak(watch_stack(checkpointed_step, COSTS)) <= checkpointing.most_bytes(COSTS)


def test_flop_are_bounded_by_two_forwards_and_a_backward():
    assert count_flop(checkpointed_step, COSTS) <= checkpointing.most_flop(COSTS)
    forward = checkpointing.most_flop(COSTS) // 4
    first = 2 * COSTS.samples * COSTS.width**2
    assert count_flop(plain_step, COSTS) == 3 * forward - first


def test_the_same_stack_is_the_same_and_dropout_is_drawn_from_its_seed():
    stack = Stack(4, 2, dropout=0.5, seed=9)
    ours, again = run_step(plain_step, stack), run_step(plain_step, stack)
    assert float(ours["loss"]) == float(again["loss"])
    assert (ours["next"] == again["next"]).all()
    other = run_step(plain_step, Stack(4, 2, dropout=0.5, seed=10))
    assert float(ours["loss"]) != float(other["loss"])


def test_predictions_hold():
    assert predicted(64, best(64, 1, 1), 1, 1) == 15
    assert best(64, 1, 1) == best_k(64, 1, 1) == 8


def test_best_is_judged_by_the_learners_own_formula():
    def doubled(blocks, k, kept, inside):
        return k * kept + -(-blocks // k) * inside * 4

    def own_best(blocks, kept, inside):
        return min(range(1, blocks + 1), key=lambda k: doubled(blocks, k, kept, inside))

    assert lost(hand_in("checkpointing", checkpointed_step, doubled, own_best)) == ["predicted"]


def test_a_gradient_that_is_not_handed_on_is_named_by_its_block():
    def last_alone(segments, x, y, loss):
        with torch.no_grad():
            for segment in segments[:-1]:
                x = segment(x)
        value = loss(segments[-1](x), y)
        value.backward()
        return value.detach()

    report = hand_in("checkpointing", last_alone, predicted_bytes, best_k)
    assert "gradients" in lost(report) and "chance" not in lost(report)
    assert fault(report, "gradients").message.startswith("the weight of block 0 (of 6) has no")


def test_a_step_that_returns_nothing_is_named():
    def silent(segments, x, y, loss):
        checkpointed_step(segments, x, y, loss)

    report = hand_in("checkpointing", silent, predicted_bytes, best_k)
    assert lost(report) == ["gradients", "dropout", "chance", "else", "memory", "flop"]
    assert "a call without `return`" in fault(report, "gradients").message


def test_a_step_that_holds_what_an_ordinary_one_holds_is_worth_the_formulas_alone():
    report = hand_in("checkpointing", plain_step, predicted_bytes, best_k)
    assert report.points == 2
    assert lost(report) == ["gradients", "dropout", "chance", "else", "memory", "flop"]
    assert "once your step holds clearly less" in fault(report, "gradients").message


@pytest.mark.filterwarnings("ignore:None of the inputs:UserWarning")
@pytest.mark.parametrize("is_reentrant", [False, True])
def test_the_ready_made_one_is_refused_with_a_word(is_reentrant):
    def ready_made(segments, x, y, loss):
        for segment in segments:
            x = checkpoint(segment, x, use_reentrant=is_reentrant)
        value = loss(x, y)
        value.backward()
        return value.detach()

    report = hand_in("checkpointing", ready_made, predicted_bytes, best_k)
    assert report.points == 2
    assert "ready-made" in fault(report, "memory").message


def test_an_input_that_asks_for_no_gradient_is_named():
    def forgetful(segments, x, y, loss):
        kept = []
        with torch.no_grad():
            for segment in segments:
                kept.append(x)
                x = segment(x)
        value = loss(segments[-1](kept[-1]), y)
        value.backward()
        for segment, before, after in zip(segments[-2::-1], kept[-2::-1], kept[::-1], strict=False):
            segment(before).backward(after.grad)
        return value.detach()

    cause = fault(hand_in("checkpointing", forgetful, predicted_bytes, best_k), "gradients").cause
    assert "`.detach().requires_grad_()`" in cause


def test_what_is_wrong_without_dropout_is_no_matter_of_chance():
    def turned(segments, x, y, loss):
        return checkpointed_step(segments, x, y, lambda out, y: 3 * loss(out, y)) / 3

    report = hand_in("checkpointing", turned, predicted_bytes, best_k)
    assert lost(report) == ["gradients", "dropout"]
    assert "it's wrong without dropout, too" in fault(report, "dropout").message


def test_building_a_stack_leaves_no_gradient_behind():
    segments, x, _ = build_stack(COSTS)
    assert not x.requires_grad
    assert all(weight.grad is None for segment in segments for weight in segment.parameters())


def test_what_the_lesson_says_of_batch_norm_recomputed():
    """A second forward pass moves the running mean again, under PyTorch's checkpointing, too."""
    norm, x = torch.nn.BatchNorm1d(3), torch.randn(8, 3) + 5
    norm(x)
    once = norm.running_mean.clone()
    again = torch.nn.BatchNorm1d(3)
    checkpoint(again, x.requires_grad_(), use_reentrant=False).sum().backward()
    assert torch.allclose(again.running_mean, 1.9 * once)
