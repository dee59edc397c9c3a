"""The propagation of dtensor-in-practice beside PyTorch's own on real ranks, for any plan."""

from __future__ import annotations

import random

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.judge.propagation import passes_of
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import (
    LAYOUTS,
    MODULES,
    REPLICATE,
    ROWS,
    plain_plan,
    plan_of,
)
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.real_block import (
    HIDDEN,
    TOKENS,
    WIDTH,
    run_plans,
)
from gpuedu.figures.style import alt_text, to_png
from gpuedu.multi.launch import launch
from tests.exercises.parts import pictures_of
from tests.exercises.scripts import run_script
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.sampled import WHOLE, only_whole

ID = "dtensor-in-practice"
WHOLE_BLOCK = ["three_sums", "rows_then_columns", "columns_twice", "columns_gathered"]
WHOLE_BLOCK += ["output_in_columns", "mlp_left_out", "one_of_two", "norms_on_whole_input"]
TOKENS_ONLY = ["norms_left_alone", "nothing_prepared", "prepared_as_whole"]
TOKENS_ONLY += ["gathered_three_times", "whole_output", "the_same_plan"]
RIGHT = ["tables", "by_parts"]
DRAWN = 300 if WHOLE else 40
_SIZES = {"D": TOKENS * WIDTH, "H": TOKENS * HIDDEN}


def stored_plans():
    """Name, plan, and whether each rank has some of the tokens: of all that is stored."""
    answers = [("solution", solution_answers(ID))]
    answers += [(name, stored_answers(ID, "right", name)) for name in RIGHT]
    answers += [(name, stored_answers(ID, "wrong", name)) for name in WHOLE_BLOCK + TOKENS_ONLY]
    for name, one in answers:
        if name not in TOKENS_ONLY:
            yield name, plan_of(one["tensor_plan"](), name), False
        if name not in WHOLE_BLOCK:
            yield name, plan_of(one["sequence_plan"](), name), True


def drawn_plans(count):
    """The same of plans with up to three entries changed, by chance."""
    chance, answers = random.Random(3), solution_answers(ID)
    for number in range(count):
        is_cut = number % 2 == 1
        plan = dict(answers["sequence_plan" if is_cut else "tensor_plan"]())
        for _ in range(chance.choice([1, 1, 2, 3])):
            module = chance.choice(list(MODULES))
            plan.pop(module, None)
            if chance.random() < 0.7:
                plan[module] = drawn_style(chance, module)
        yield f"drawn {number}", plan_of(plan, "plan"), is_cut


def drawn_style(chance, module):
    kind = chance.choice(MODULES[module])
    options = {"sequence": (), "prepare": ("input",)}.get(kind, ("input", "output"))
    return kind, {one: chance.choice(LAYOUTS) for one in options if chance.random() < 0.6}


def test_plans_do_on_real_ranks_what_the_judge_says():
    plans = [*stored_plans(), *drawn_plans(DRAWN)]
    given = [(plain_plan(plan), is_cut) for _, plan, is_cut in plans]
    both = launch(run_plans, 2, given, backend="gloo", time_limit_s=300.0).results
    rights = 0
    for (name, plan, is_cut), *real in zip(plans, *both, strict=True):
        told = passes_of(plan, ROWS if is_cut else REPLICATE)
        is_right = not told.misfit and not told.unsummed
        off = max(one.get("off", float("inf")) for one in real)
        assert is_right == (off < 1e-9), (name, plan, told, off)
        rights += is_right
        for one in real:
            if is_right and not told.by_itself:
                assert sorted(one["forward"]) == sent(told.forward), (name, plan)
                assert sorted(one["backward"]) == sent(told.backward), (name, plan)
    assert 15 < rights < len(plans) - 15


def sent(messages):
    """Messages as gloo has them: without an all-to-all PyTorch gathers, and takes a part."""
    return sorted(
        (one.kind.replace("all_to_all", "all_gather"), _SIZES[one.width]) for one in messages
    )


SCRIPT = """
import torch
import torch.distributed as dist
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import plain_plan, plan_of
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.real_block import run_plans
from tests.exercises.stored import solution_answers

if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    plan = plan_of(solution_answers("dtensor-in-practice")["sequence_plan"](), "plan")
    (found,) = run_plans([(plain_plan(plan), True)])
    assert found["off"] < 1e-12
    assert [kind for kind, _ in found["forward"]] == ["all_gather", "reduce_scatter"] * 2
    dist.barrier()
    dist.destroy_process_group()
"""


@only_whole
def test_a_script_under_torchrun_gets_the_same_block(tmp_path):
    run_script(tmp_path / "block.py", SCRIPT)


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (None, "what `f` returns should be a dict, got None"),
        ({"mlp.upp": "colwise"}, "`f`: the block has no module 'mlp.upp'"),
        ({"norm1": "colwise"}, "the style of 'norm1' should be \"sequence\", got 'colwise'"),
        ({"mlp.up": 3}, "the style of 'mlp.up' should be a text"),
        ({"mlp.up": ("colwise", {}, {})}, "got 3 things"),
        ({"mlp.up": ("colwise", "Shard(0)")}, "should be a dict"),
        ({"mlp.up": ("colwise", {"inputs": "Shard(0)"})}, "has no option 'inputs'"),
        ({"mlp.up": ("colwise", {"input": "Partial()"})}, "'input' should be one of Replicate"),
        ({"norm1": ("sequence", {"input": "Shard(0)"})}, "has no option 'input'.*none"),
    ],
)
def test_what_is_no_plan_is_told(plan, told):
    with pytest.raises(AnswerError, match=told):
        plan_of(plan, "f")


def test_pictures_tell_right_from_wrong():
    answers, draw = solution_answers(ID), pictures_of("tensor-parallel")[ID]

    def rows_first():
        return {"mlp.up": "rowwise", "mlp.down": "colwise"}

    def norms_left():
        styles = answers["sequence_plan"]().items()
        return {name: one for name, one in styles if not name.startswith("norm")}

    told = []
    for plan, tokens in (
        (answers["tensor_plan"], False),
        (answers["sequence_plan"], True),
        (rows_first, False),
        (norms_left, True),
    ):
        axes = draw(plan, tokens=tokens)
        assert overlapping_texts(axes) == []
        assert texts_outside(axes) == []
        assert smallest_text_pt(axes) >= 8.5
        assert len(to_png(axes)) > 10_000
        told.append(alt_text(axes))
    assert all(one.startswith("Output and all gradients are those") for one in told[:2])
    assert told[2].startswith("PyTorch fails: a and b must have same reduction dim")
    assert told[3].startswith("Wrong: output or gradients are off by")
