"""Who draws which sample: laws that hold for any sizes, and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Case, Fault, Undecided
from gpuedu.exercises.ddp.sampler import judge as sampler
from gpuedu.exercises.ddp.sampler.play import play_sampler
from gpuedu.exercises.ddp.sampler.sampling import as_part, draw_epoch
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers

ANSWERS = solution_answers("sampler")

SIZES = {"samples": st.integers(1, 80), "ranks": st.integers(1, 9)}


@settings(max_examples=60, deadline=None)
@given(**SIZES, epoch=st.integers(0, 3), seed=st.integers(0, 99))
def test_the_laws_of_an_epoch(samples, ranks, epoch, seed):
    parts = draw_epoch(ANSWERS["train_part"], samples, epoch, ranks, seed, states=1).parts
    each = -(-samples // ranks)
    counts = Counter(i for part in parts for i in part)
    assert [len(part) for part in parts] == [each] * ranks
    assert set(counts) == set(range(samples))
    assert max(counts.values()) <= -(-each * ranks // samples)


@settings(max_examples=30, deadline=None)
@given(**SIZES, seed=st.integers(0, 99))
def test_a_right_sampler_is_right_for_any_sizes(samples, ranks, seed):
    inputs = {"samples": samples, "ranks": ranks, "epochs": 2, "later": 9, "seed": seed}
    for ask, decides in (("training", sampler._TRAINING), ("evaluation", ("evaluation",))):
        case = Case("any sizes", {"ask": ask, **inputs}, decides)
        observed = play_sampler(list(ANSWERS.values()), case.inputs)
        assert list(sampler.JUDGE.seen(case, observed)) == []


def test_the_global_random_state_is_a_note():
    def seeds_all(samples, epoch, rank, ranks, seed):
        torch.manual_seed(1_000 * seed + epoch)
        order = torch.randperm(samples).tolist()
        return (order * ranks)[rank : -(-samples // ranks) * ranks : ranks]

    report = examine(load("sampler"), [seeds_all, ANSWERS["eval_part"]])
    assert report.state == "solved"
    assert any("global random state" in one.message for one in report.findings)


@pytest.mark.parametrize(
    ("parts", "again", "kind", "says"),
    [
        ([[0, 1], [1, 1], [2, 1]], None, Undecided, "4 times, and 1 of 4 by no rank"),
        ([[0, 1], [1, 3], [2, 1]], [[0, 1], [1, 2], [3, 0]], Undecided, "gave different draws"),
        ([[0, 1], [1, 3], [2, 1]], None, Fault, "3 times, at most twice is needed"),
    ],
)
def test_of_the_padding_only_ranks_that_share_an_order_tell(parts, again, kind, says):
    case = Case("4 samples", {"samples": 4, "ranks": len(parts)}, ("padding",))
    observed = {"epochs": [parts], "again": [again or parts]}
    (found,) = sampler._test_padding(case, observed)
    assert type(found) is kind
    assert says in found.message


def test_drawing_leaves_the_notebooks_random_state():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    draw_epoch(lambda *_: torch.randperm(5), 5, 0, 2, 0, states=1)
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "a list of samples"),
        (3, "a list of samples"),
        (torch.tensor(3), "a list of samples"),
        ([0.5], "whole numbers"),
        ([True], "whole numbers"),
        (torch.ones(2, 2), "a list of samples"),
        ([[1, 2]], "whole numbers"),
        ([-1], "0 to 4"),
        (range(200_000), "200000 samples"),
    ],
    ids=str,
)
def test_what_is_no_part_is_refused(value, says):
    with pytest.raises(AnswerError, match=says):
        as_part(value, 5, "train_part")
