"""The propagation of dtensor-in-practice beside PyTorch's own on real ranks, for any plan."""

from __future__ import annotations

import random

import pytest
import torch

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
    _pytorchs,
    build_block,
    run_plans,
)
from gpuedu.figures.style import alt_text
from gpuedu.multi.launch import launch
from tests.exercises.parts import pictures_of
from tests.exercises.reports import hand_in, lost, told
from tests.exercises.scripts import run_script
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import assert_fit_to_print
from tests.sampled import WHOLE, only_whole

ID = "dtensor-in-practice"
WHOLE_BLOCK = ["three_sums", "rows_then_columns", "columns_twice", "columns_gathered"]
WHOLE_BLOCK += ["output_in_columns", "mlp_left_out", "one_of_two", "norms_on_whole_input"]
TOKENS_ONLY = ["norms_left_alone", "nothing_prepared", "prepared_as_whole"]
TOKENS_ONLY += ["gathered_three_times", "whole_output", "the_same_plan", "only_outputs"]
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


def test_plans_spelled_for_pytorch_do_the_same_on_real_ranks():
    answers = solution_answers(ID)
    plans = {name: answers[name] for name in ("tensor_plan", "sequence_plan")}

    def in_columns():
        return {
            "attn": ("prepare", {"input": "Shard(1)"}),
            "attn.q": ("colwise", {"input": "Shard(0)", "output": "Replicate()"}),
            "mlp.down": ("rowwise", {"input": "Replicate()", "output": "Shard(1)"}),
        }

    for plan in (*plans.values(), in_columns):
        wanted = {name: told_of(_pytorchs(one)) for name, one in plan_of(plan(), "f").items()}
        assert styles_in(spell(plan)) == wanted
    codes = [spell(one) for one in plans.values()]
    both = launch(run_codes, 2, codes, backend="gloo").results
    assert max(off for per_rank in both for off in per_rank) < 1e-12


def spell(plan):
    return pictures_of("tensor-parallel")["tensor-parallel/in-pytorch"](plan)


def styles_in(code):
    """The plan's styles, by name; the block is not cut."""
    lines = [one for one in code.splitlines() if not one.startswith(("mesh", "parallelize_module"))]
    exec("\n".join(lines), found := {})
    return {name: told_of(one) for name, one in found["plan"].items()}


def told_of(style):
    """Class and layouts; of placements the last dimension of two is dimension 1."""
    layouts = {name: str(one).replace("dim=-1", "dim=1") for name, one in vars(style).items()}
    return type(style).__name__, layouts


def run_code(code):
    """A block that the code has cut, on this many ranks of the CPU, and its plan."""
    block, found = build_block(), {}
    ranks = torch.distributed.get_world_size()
    exec(code.replace('"cuda", (8,)', f'"cpu", ({ranks},)'), {"block": block}, found)
    return block, found["plan"]


def run_codes(codes):
    """How far each code's block is off from the whole one; the second has tokens cut."""
    chance, found = torch.Generator().manual_seed(3), []
    x = torch.randn(TOKENS, WIDTH, generator=chance, dtype=torch.float64)
    for code, is_cut in zip(codes, (False, True), strict=True):
        rank, each = torch.distributed.get_rank(), TOKENS // torch.distributed.get_world_size()
        own = slice(rank * each, (rank + 1) * each) if is_cut else slice(None)
        whole, (block, _) = build_block(), run_code(code)
        wanted, got = whole(x), block(x[own])
        wanted.square().sum().backward()
        got.square().sum().backward()
        off = [(got - wanted[own]).abs().max()]
        for one, true in zip(block.parameters(), whole.parameters(), strict=True):
            grad = one.grad.full_tensor() if hasattr(one.grad, "full_tensor") else one.grad
            off.append((grad - true.grad).abs().max())
        found.append(float(max(off)))
    return found


@pytest.mark.parametrize("name", [ID, "tensor-parallel/in-pytorch"])
def test_a_picture_is_drawn_of_a_function(name):
    with pytest.raises(AnswerError, match="wants a function that returns a plan"):
        pictures_of("tensor-parallel")[name]({"mlp.up": "colwise"})


def test_a_rule_that_returns_nothing_is_told_what_stands_for_nothing():
    report = hand_in(ID, linear=lambda x, weight: None)
    assert "`linear` returned None, and should return a string" in told(report, "linear")
    assert lost(report) == {"linear"}


def test_the_rules_can_be_checked_before_there_are_plans():
    report = hand_in(ID, tensor_plan=lambda: {}, sequence_plan=lambda: {})
    assert not {"linear", "collective"} & lost(report)
    assert len(lost(report)) == 4


@only_whole
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
        (answers["sequence_plan"], False),
    ):
        axes = draw(plan, tokens=tokens)
        assert_fit_to_print(axes)
        told.append(alt_text(axes))
    assert all(one.startswith("Output and all gradients are those") for one in told[:2])
    assert told[2].startswith("PyTorch fails.")
    assert "PyTorch says: a and b must have same reduction dim, but got [4, 12] X" in told[2]
    assert told[3].startswith("Wrong: the gradient of norm1.weight is off by")
    assert told[4].startswith("Wrong: the gradient of")
    assert "With tokens cut, add `True`. Weights:" in told[4]
