"""Pictures of real and of light ranks: fit to print, of right answers and of wrong ones."""

from __future__ import annotations

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp_in_practice import ddp_pictures
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.ddp_in_practice import practice_answers as right
from tests.exercises.parts import measures_of, pictures_of
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.sampled import only_whole

MEASURES = measures_of("ddp-in-practice")

PICTURES = pictures_of("ddp-in-practice")

REAL = {
    "forward": [[0.0, 1e-3], [4e-3, 5e-3]],
    "backward": [[1e-3, 3e-3], [5e-3, 7e-3]],
    "all_reduce": [[6e-3, 8e-3]],
    "step": [0.0, 9e-3],
}


def assert_is_fit(ax):
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert len(to_png(ax)) > 10_000


@only_whole
def test_two_ranks_that_train_together_are_one_line():
    ax = PICTURES["torch-ddp"](right.train)
    assert_is_fit(ax)
    assert "both ranks" in alt_text(ax)


def test_ranks_that_train_apart_are_two_lines():
    def train(model, data, epochs, batch, every, optimizer_for):
        return model.state_dict(), [torch.rand(1).item() for _ in range(epochs)]

    ax = PICTURES["torch-ddp"](train)
    assert_is_fit(ax)
    assert "rank 1: from" in alt_text(ax)


def test_a_state_of_other_names_and_no_losses_are_drawn():
    def train(model, data, epochs, batch, every, optimizer_for):
        return {f"{torch.distributed.get_rank()}": torch.ones(1)}, []

    assert "both ranks: none" in alt_text(PICTURES["torch-ddp"](train))


def test_what_train_returns_is_refused_by_name():
    with pytest.raises(AnswerError, match="should return two things"):
        PICTURES["torch-ddp"](lambda *_: None)


def test_a_group_is_drawn_as_profiled():
    ax = PICTURES["ddp-in-practice/real-group"](REAL)
    assert_is_fit(ax)
    assert "In 50% of the time" in alt_text(ax)


@pytest.mark.parametrize(
    ("buckets", "named"), [(1, ["1", "loss"]), (2, ["1", "2"]), (0, ["", ""]), (3, ["", ""])]
)
def test_buckets_have_numbers_and_the_loss_its_name(buckets, named):
    sends = [[6e-3, 7.5e-3], [8e-3, 8.5e-3]]
    real = REAL | {"all_reduce": sends, "buckets": buckets}
    assert ddp_pictures._name_sends(real, sends) == named
    assert_is_fit(PICTURES["ddp-in-practice/real-group"](real))


@pytest.mark.parametrize("real", [None, {}, REAL | {"all_reduce": []}])
def test_a_group_that_was_not_measured_says_so(real):
    with pytest.raises(AnswerError):
        PICTURES["ddp-in-practice/real-group"](real)


def test_a_real_group_has_forwards_backwards_and_buckets():
    real = MEASURES["torch-ddp"](right.train_epoch)
    assert [len(real["forward"]), len(real["backward"])] == [18, 18]
    first, *_ = real["all_reduce"]
    last_group = sorted(real["backward"])[12:]
    assert first[0] > last_group[0][0]  # the batches before it exchange nothing


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("clip-and-mean", (right.finish,)),
        ("ddp-in-practice/interruptions", ()),
        ("ddp-in-practice/drift", ()),
        ("ddp-in-practice/far", (right.moments,)),
    ],
)
def test_numbers_of_all_ranks_are_fit_to_print(name, answers):
    assert_is_fit(PICTURES[name](*answers))


def test_a_gradient_that_is_gone_is_drawn():
    def finish(model, max_norm):
        model.zero_grad()
        return 0.0

    assert "result nan" in alt_text(PICTURES["clip-and-mean"](finish))


def test_moments_of_nothing_are_drawn():
    nothing = PICTURES["ddp-in-practice/far"](
        lambda x: (x.new_full(x.shape[1:], torch.nan), x.new_full(x.shape[1:], torch.nan))
    )
    assert len(to_png(nothing)) > 10_000
