"""The units of fsdp2-in-practice beside PyTorch's ``fully_shard`` on real ranks."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises import registry
from gpuedu.exercises.examine import examine
from gpuedu.exercises.sharding.fsdp2_in_practice.blocks_model import (
    BlocksSpec,
    build_blocks,
    shapes_in,
)
from gpuedu.exercises.sharding.fsdp2_in_practice.judge.units import step_of, units_of
from gpuedu.exercises.sharding.fsdp2_in_practice.real_units import run_units
from gpuedu.exercises.sharding.fsdp2_in_practice.wrapping import RefusedError, Wrapping
from gpuedu.figures.style import alt_text, to_png
from gpuedu.multi.launch import launch
from tests.exercises.parts import pictures_of
from tests.exercises.scripts import run_script
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.sampled import only_whole, sampled

ID = "fsdp2-in-practice"
RIGHT = ["by_index", "last_apart"]
REFUSED = ["model_first", "the_list_of_blocks"]
WRONG = [
    *("only_the_model", "every_linear", "embedding_apart", "last_one_freed"),
    *("all_blocks_stay", "model_freed", "sums_in_bfloat16", "nothing_in_half", "dtypes_swapped"),
]
ODD = BlocksSpec(words=9, width=5, hidden=(7, 3, 6), seed=2)
TIED = BlocksSpec(words=8, width=3, hidden=(5, 5), tied=True, seed=4)


def blocks_only(model, fully_shard):
    """In mixed precision PyTorch fails then, as nothing makes the head's input float32 again."""
    for block in model.blocks:
        fully_shard(block)


def shards_of():
    """By name ``shard`` of the solution and of stored answers."""
    found = {"solution": solution_answers(ID)["shard"], "blocks_only": blocks_only}
    found |= {name: stored_answers(ID, "right", name)["shard"] for name in RIGHT}
    return found | {n: stored_answers(ID, "wrong", n)["shard"] for n in (*REFUSED, *WRONG)}


def step_told(shard, spec):
    """What the judge says of a step; None where a call is refused."""
    model = build_blocks(spec)
    noting = Wrapping(model)
    try:
        shard(model, noting.fully_shard)
    except RefusedError:
        return None
    return step_of(units_of(noting.calls, shapes_in(model)), shapes_in(model), 2)


@pytest.mark.parametrize("spec", sampled([ODD, TIED], chosen=[ODD]), ids=lambda spec: spec.words)
def test_a_step_of_real_ranks_is_the_one_that_is_judged(spec):
    shards = shards_of()
    both = launch(run_units, 2, list(shards.values()), spec, backend="gloo").results
    for name, *real in zip(shards, *both, strict=True):
        told = step_told(shards[name], spec)
        for one in real:
            is_torn = spec.tied and name == "embedding_apart"  # the head's matrix is in two units
            assert (told is None) == (name in REFUSED), name
            assert ("failed" in one) == (told is None or is_torn), name
            if "failed" in one:
                continue
            assert sorted(one["gathers"]) == sorted((n, d or "float32") for n, d in told.gathers)
            wanted = sorted((n, d or "float32") for n, d in told.reductions)
            assert sorted(one["reductions"]) == wanted, name
            assert max(sum(counts) for _, *counts in one["moments"]) == told.peak, name
            assert (one["off"] < 1e-12) == (name != "blocks_only"), name


def test_a_step_that_is_judged_has_the_numbers_of_the_solution():
    shard, messages, gathered_bytes, peak = solution_answers(ID).values()
    model = build_blocks(ODD)
    noting = Wrapping(model)
    shard(model, noting.fully_shard)
    units = units_of(noting.calls, shapes_in(model))
    step = step_of(units, shapes_in(model), 2)
    pairs = [(one.numbers, one.is_freed) for one in (units[-1], *units[:-1])]
    assert messages(pairs) == (len(step.gathers), len(step.reductions)) == (6, 4)
    assert peak(pairs) == step.peak
    sizes = [gathered_bytes(list(one.shapes.values()), 2) for one in units]
    assert set(sizes) == {size for size, _ in step.gathers}


SCRIPT = """
import sys
import torch
import torch.distributed as dist
from gpuedu.exercises.sharding.fsdp2_in_practice.real_units import run_units
from tests.exercises.sharding.test_fsdp2_in_practice import ODD
from tests.exercises.stored import solution_answers

if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    (found,) = run_units([solution_answers("fsdp2-in-practice")["shard"]], ODD)
    assert found["off"] < 1e-12
    assert (len(found["gathers"]), len(found["reductions"])) == (6, 4)
    dist.barrier()
    dist.destroy_process_group()
"""


@only_whole
def test_a_script_under_torchrun_trains_as_one_process(tmp_path):
    run_script(tmp_path / "train.py", SCRIPT)


@pytest.fixture
def model():
    return build_blocks(ODD)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda model: ([model],), "got a list, which is no module"),
        (lambda model: (nn.Linear(2, 2),), "a Linear that is not in the model"),
    ],
)
def test_a_unit_is_a_module_of_the_model(model, call, told):
    with pytest.raises(AnswerError, match=told):
        Wrapping(model).fully_shard(*call(model))


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"reshard_after_forward": 1}, "`reshard_after_forward` should be True or False, got 1"),
        ({"param_dtype": "bfloat16"}, "`param_dtype` should be a dtype of PyTorch"),
        ({"mp_policy": None}, "takes no `mp_policy`. Try: Give it .*`param_dtype` and `reduce_dty"),
        ({"reduce_dtype": torch.ones(1)}, "`reduce_dtype` should be a dtype of PyTorch"),
    ],
)
def test_other_arguments_are_told(model, named, told):
    with pytest.raises(AnswerError, match=told):
        Wrapping(model).fully_shard(model, **named)


def test_a_unit_is_made_once(model):
    wrapping = Wrapping(model)
    wrapping.fully_shard(model.blocks[0])
    with pytest.raises(RefusedError, match=r"`blocks.0` is a unit already"):
        wrapping.fully_shard(model.blocks[0])


def test_parameters_in_no_unit_are_told_by_name():
    answers = stored_answers(ID, "wrong", "blocks_only")
    report = examine(registry.load(ID), list(answers.values()), seed=2)
    told = next(one.fault.message for one in report.results if one.property.name == "units")
    assert "`scale` is in no unit" in told


def test_pictures_tell_right_from_wrong():
    shard, messages, _, peak = solution_answers(ID).values()
    draw = pictures_of("sharding")[ID]
    told = []
    for answers in ((shard, messages, peak), (blocks_only,)):
        axes = draw(*answers)
        assert overlapping_texts(axes) == []
        assert texts_outside(axes) == []
        assert smallest_text_pt(axes) >= 8.5
        assert len(to_png(axes)) > 10_000
        told.append(axes.get_title(loc="left") + alt_text(axes))
    assert "6 all-gathers, 4 reduce-scatters; at most 298 weights are whole" in told[0]
    assert "in float64 the weights are as in one process" in told[0]
    assert "156 weights are in no unit" in told[1]


def test_what_pytorch_refuses_is_told():
    def model_first(model, fully_shard):
        fully_shard(model)
        fully_shard(model.blocks[0])

    def blocks_in_bfloat16(model, fully_shard):
        for block in model.blocks:
            fully_shard(block, param_dtype=torch.bfloat16)

    for shard, told in (
        (model_first, r"`model` became a unit before `blocks.0`, which is in it"),
        (blocks_in_bfloat16, "`scale` is in no unit, and PyTorch fails"),
    ):
        with pytest.raises(AnswerError, match=told):
            pictures_of("sharding")[ID](shard)


def test_whole_weights_are_counted_by_unit():
    def every_linear(model, fully_shard):
        for module in model.modules():
            if isinstance(module, nn.Linear):
                fully_shard(module)
        fully_shard(model)

    (found,) = launch(run_units, 2, [every_linear], ODD, backend="gloo").results[0]
    head = next(counts for name, *counts in found["moments"] if name == "forward head")
    shapes = shapes_in(build_blocks(ODD))
    own = [name for name in shapes if "up." not in name and "down." not in name]
    in_model = sum(math.prod(shapes[name]) for name in own if name != "head.weight")
    assert head == [in_model, math.prod(shapes["head.weight"]), 0]
