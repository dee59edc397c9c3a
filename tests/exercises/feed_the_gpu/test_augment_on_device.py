"""augment-on-device: what leaves the device, laws of draws, refusals, and its pictures' words."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.feed_the_gpu.augment_on_device.augmentation import random_batch
from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import KernelCounter, find_leaving
from gpuedu.exercises.feed_the_gpu.augment_on_device.picture import draw_augment, draw_kernels
from gpuedu.exercises.feed_the_gpu.augment_on_device.play import count_kernels
from gpuedu.exercises.registry import load
from gpuedu.figures.style import alt_text
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers, stored_answers

RIGHT = solution_answers("augment-on-device")


def drawn_with(**changed):
    """The solution's draws with some of them computed from all three."""

    def draw(*asked):
        drawn = dict(zip(("flips", "tops", "lefts"), RIGHT["draw"](*asked), strict=True))
        return tuple({**drawn, **{name: of(**drawn) for name, of in changed.items()}}.values())

    return draw


def test_the_prediction_is_what_the_loop_starts():
    loop = stored_answers("augment-on-device", "wrong", "the_loop")["augment"]
    batch = random_batch(np.random.default_rng(0), 64, height=36, width=36, size=32)
    batch["flips"] = np.arange(64) % 2 == 0
    truth = load("augment-on-device").judge.predictions["augment-on-device"].truth
    assert count_kernels(loop, batch)[0] == truth
    assert f"the loop: {truth} for 64 pictures" in alt_text(draw_kernels(RIGHT["augment"], loop))


def test_a_constant_picture_saves_no_kernels_and_shows_nothing_of_waits():
    def augment(pictures, flips, tops, lefts, size, mean, std):
        return pictures.new_zeros((*pictures.shape[:2], size, size), dtype=torch.float32)

    report = hand_in("augment-on-device", augment=augment)
    assert lost(report) == {"normalized", "flips", "crops", "both", "few-kernels", "stays"}
    assert isinstance(fault(report, "few-kernels"), Undecided)


def test_a_result_of_another_shape_or_dtype_is_named():
    report = hand_in("augment-on-device", augment=lambda *given: given[0])
    assert "shape" in fault(report, "crops").message
    report = hand_in("augment-on-device", augment=lambda *given: RIGHT["augment"](*given).double())
    assert "float64, expected float32" in fault(report, "normalized").message


def test_flips_that_are_no_booleans_are_refused():
    report = hand_in("augment-on-device", draw=drawn_with(flips=lambda flips, **_: flips.float()))
    assert lost(report) == {"positions", "own-draws"}
    assert "expected bool" in fault(report, "own-draws").message


def test_flips_that_depend_on_the_place_hang_together_with_it():
    draw = drawn_with(flips=lambda tops, lefts, **_: (tops + lefts) % 2 == 0)
    assert "own-draws" in lost(hand_in("augment-on-device", draw=draw))


def test_unfair_flips_are_counted():
    draw = drawn_with(flips=lambda flips, **_: flips | (torch.arange(len(flips)) % 10 == 0))
    report = hand_in("augment-on-device", draw=draw)
    assert "`flips` was" in fault(report, "own-draws").message


def test_what_is_made_on_the_host_is_named():
    def draw(count, height, width, size, generator):
        _, *places = RIGHT["draw"](count, height, width, size, generator)
        return torch.rand(count, generator=generator) < 0.5, *places

    report = hand_in("augment-on-device", draw=draw)
    assert lost(report) == {"stays"}
    assert fault(report, "stays").message.startswith("`flips`: made on the host")


def test_views_and_allocations_are_no_kernels():
    x = torch.zeros(4, 6)
    with KernelCounter() as counter:
        y = torch.empty(6, 4).t()[1:].reshape(-1)
        y = x.float().t() + 1
        y = x.to(torch.float64)  # noqa: F841
    assert counter.names == ["clone", "add", "_to_copy"]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda x: x * 2, ""),
        (lambda x: x * torch.tensor(2.0), ""),
        (lambda x: x[x > 0], "boolean mask"),
        (lambda x: x * x.max().item(), ".item()"),
        (lambda x: x + torch.ones(3), "two devices"),
        (lambda x: x[torch.arange(2)], "mixed in index"),
    ],
)
def test_what_leaves_the_device_is_told(call, kind):
    found = find_leaving(call, [torch.arange(3.0)])
    assert found.kind == kind and bool(found.told) == bool(kind)


def test_wrong_pictures_are_marked():
    ax = draw_augment(lambda *given: RIGHT["augment"](*given).flip(-1), RIGHT["draw"])
    assert "8 of 8 are not as they should be" in alt_text(ax)
    assert [text.get_text() for text in ax.texts].count("not so") == 8


def test_a_crop_that_does_not_fit_is_told():
    with pytest.raises(AnswerError, match="fits into 36 x 36 from 0 to 4"):
        draw_augment(RIGHT["augment"], drawn_with(tops=lambda tops, **_: tops + 20))


def test_one_coin_for_all_pictures_is_told_beside_right_results():
    draw = drawn_with(flips=lambda flips, **_: flips[:1].expand(len(flips)))
    told = alt_text(draw_augment(RIGHT["augment"], draw))
    assert "all as drawn; flips: the same for all pictures" in told
