"""Which operators count as kernels on the CPU, held against PyTorch's own schemas and real steps."""

from __future__ import annotations

import pytest
import torch

from gpuedu.profiles import Span, computing_operators, profile
from gpuedu.profiles.computing import NO_WORK

SPARSE_OR_NESTED = {
    "ccol_indices", "coalesce", "col_indices", "crow_indices", "indices", "row_indices", "values",
}  # fmt: skip
COPIES_WHERE_IT_MUST = {"cpu", "cuda"}
INTERNAL = {"slice_inverse"}


def names(*nested):
    spans = [Span(name, "host", at, 1.0, depth) for at, (name, depth) in enumerate(nested)]
    return [one.name for one in computing_operators(spans)]


def aten_schemas():
    return [one for one in torch._C._jit_get_all_schemas() if one.name.startswith("aten::")]


def test_every_name_is_an_operator_of_pytorch():
    known = {one.name.removeprefix("aten::") for one in aten_schemas()}
    assert known >= NO_WORK


def test_every_view_of_pytorch_is_one_that_does_no_work():
    views = set()
    for one in aten_schemas():
        given = [argument.alias_info for argument in one.arguments if argument.alias_info]
        shares = any(result.alias_info for result in one.returns)
        if given and shares and not any(alias.is_write for alias in given):
            views.add(one.name.removeprefix("aten::"))
    assert len(views) > 60
    views = {name for name in views if not name.startswith("_")}
    assert views - NO_WORK == SPARSE_OR_NESTED | COPIES_WHERE_IT_MUST | INTERNAL


def test_a_composite_counts_through_what_is_inside():
    assert names(
        ("aten::linear", 0), ("aten::t", 1), ("aten::transpose", 2), ("aten::addmm", 1),
        ("aten::relu", 0), ("aten::clamp_min", 1),
    ) == ["aten::addmm", "aten::clamp_min"]  # fmt: skip


def test_an_operator_counts_once_with_one_that_it_calls():
    assert names(("aten::addmm", 0), ("aten::expand", 1), ("aten::copy_", 1)) == ["aten::copy_"]


def test_two_inside_one_are_two():
    assert names(("aten::mean", 0), ("aten::sum", 1), ("aten::div_", 1)) == [
        "aten::sum",
        "aten::div_",
    ]


def test_views_allocations_questions_and_nodes_of_the_graph_do_not_count():
    assert names(
        ("aten::reshape", 0), ("aten::view", 1), ("aten::empty_like", 0), ("aten::empty", 1),
        ("aten::to", 0), ("aten::item", 0), ("aten::_local_scalar_dense", 1), ("detach", 0),
        ("autograd::engine::evaluate_function: ViewBackward0", 0), ("ViewBackward0", 1),
        ("torch::autograd::AccumulateGrad", 0),
    ) == []  # fmt: skip


def test_operators_of_other_libraries_count():
    assert names(("mine::fused", 0), ("torchvision::nms", 0)) == ["mine::fused", "torchvision::nms"]


def test_a_compiled_graph_counts_beside_what_it_calls():
    inside = [("CompiledFunction", 0), ("## Call CompiledFxGraph abc ##", 1), ("aten::mm", 2)]
    assert names(*inside) == ["## Call CompiledFxGraph abc ##", "aten::mm"]


def test_lanes_are_apart():
    spans = [
        Span("aten::linear", "host", 0.0, 4.0),
        Span("aten::addmm", "host thread 2", 1.0, 1.0),
        Span("aten::t", "host", 2.0, 1.0, 1),
    ]
    # An operator with nothing that computes inside it, as far as was seen, computes.
    assert [one.name for one in computing_operators(spans)] == ["aten::linear", "aten::addmm"]


@pytest.mark.parametrize(
    ("step", "count"),
    [
        (lambda x, y: x + y, 1),
        (lambda x, y: (x + y).relu().sum(), 3),
        (lambda x, y: x.t().reshape(-1)[2:], 1),
        (lambda x, y: x.view(-1)[2:].unsqueeze(0), 0),
        (lambda x, y: torch.nn.functional.linear(x, y, y[0]), 1),
        (lambda x, y: torch.empty_like(x), 0),
        (lambda x, y: torch.zeros(3, 3), 1),
        (lambda x, y: (x @ y).to(torch.float64), 2),
        (lambda x, y: x[0, 0].item(), 0),
    ],
)
def test_counts_of_known_steps(step, count):
    x, y = torch.rand(4, 4), torch.rand(4, 4)
    assert profile(lambda: step(x, y), steps=2).kernels_per_step == count


def test_a_fused_optimizer_is_one():
    def count(fused):
        weights = [torch.rand(3, requires_grad=True) for _ in range(5)]
        optimizer = torch.optim.SGD(weights, lr=0.1, momentum=0.9, fused=fused)
        for one in weights:
            one.grad = torch.ones(3)
        return profile(optimizer.step, steps=2, warmup=2).kernels_per_step

    assert count(True) == 1
    # For each of five tensors: two on its momentum, one on itself.
    assert count(False) == 3 * 5
