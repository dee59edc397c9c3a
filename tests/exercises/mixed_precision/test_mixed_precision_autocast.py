"""The autocast exercise: its table against PyTorch's lists, its oracle, what it observes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Finding
from gpuedu.exercises.mixed_precision.autocast.autocast_table import (
    EXPRESSIONS,
    LISTS,
    inputs,
    on_this_cpu,
    write_lists,
)
from gpuedu.exercises.mixed_precision.autocast.judge import JUDGE, TABLE, loss, scores
from gpuedu.exercises.mixed_precision.autocast.play import play_autocast, read_table
from gpuedu.exercises.mixed_precision.products import ProductWatch

RIGHT = {text: row.dtype for text, row in TABLE.items()}


def half_loss(x, w1, w2, y):
    """The loss as the lesson gives it."""
    h = torch.relu(x @ w1)
    size = (h * h).mean(dim=1, keepdim=True).sqrt()
    p = torch.sigmoid((h / (size + 1e-5)) @ w2)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


def in_float32(x, w1, w2, y, *, from_scores):
    """The loss with line 2 in float32, from scores or from a chance in float32."""
    h = torch.relu(x @ w1).float()
    z = (h / ((h * h).mean(dim=1, keepdim=True).sqrt() + 1e-5) @ w2).float()
    if from_scores:
        return torch.nn.functional.binary_cross_entropy_with_logits(z, y)
    p = torch.sigmoid(z)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


def faults_of(answers, rng_seed=1):
    """Property to its fault, of the whole judge."""
    found = {}
    for case in JUDGE.cases(np.random.default_rng(rng_seed)):
        for fault in JUDGE.verdict(case, play_autocast(answers, case.inputs)):
            assert not isinstance(fault, Finding)
            found.setdefault(fault.property, fault)
    return found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x @ w", "@"),
        ("h ** 2", "**"),
        ("h.sum()", "sum"),
        ("torch.exp(h)", "exp"),
        ("torch.softmax(h, 1)", "softmax"),
        ("F.layer_norm(h, (8,)) @ w", "@"),
        ("F.cross_entropy(h, y)", "cross_entropy"),
    ],
)
def test_the_table_follows_the_lists_that_are_shown(text, name) -> None:
    wide = LISTS["in float32"].replace(":", ",").replace(" and ", ", ").split(", ")
    half = LISTS["in 16 bits"].replace(" and ", ", ").split(", ")
    listed = "float32" if name in wide else "float16" if name in half else ""
    assert TABLE[text].dtype == listed


@pytest.mark.parametrize("name", ["relu", "mean", "*", "+", "sigmoid", "sqrt", "add"])
def test_what_follows_its_input_is_in_no_list(name) -> None:
    for names in LISTS.values():
        assert name not in names.replace(" and ", ", ").split(", ")


def test_unlisted_expressions_end_in_the_dtype_that_torch_promotes_to() -> None:
    given = inputs()
    for text in ("h + x", "h * h", "h.mean()", "x.double() @ w.double()"):
        assert TABLE[text].kind == "unlisted"
        assert str(EXPRESSIONS[text](given).dtype) == f"torch.{TABLE[text].dtype}"


def test_the_cpus_lists_are_others() -> None:
    here = on_this_cpu()
    assert here.keys() == TABLE.keys()
    assert here["x @ w"] == "float16" and here["F.cross_entropy(h, y)"] == "float32"
    assert any(here[text] != row.dtype for text, row in TABLE.items())


def test_the_page_of_lists_is_not_too_wide() -> None:
    assert max(map(len, write_lists().splitlines())) <= 96


def test_the_oracle_is_the_given_loss_in_float64() -> None:
    for case in JUDGE.cases(np.random.default_rng(5))[1:]:
        parts = [case.inputs[name] for name in ("x", "w1", "w2", "yes")]
        theirs = float(half_loss(*(torch.from_numpy(part).double() for part in parts)))
        assert loss(*parts) == pytest.approx(theirs, rel=1e-4)


def test_cases_reach_what_they_say() -> None:
    for case in JUDGE.cases(np.random.default_rng(6))[1:]:
        x, w1, w2 = (case.inputs[name].astype(np.float64) for name in ("x", "w1", "w2"))
        largest, surest = np.abs(x @ w1).max(), np.abs(scores(x, w1, w2)).max()
        assert largest < 32_000 and surest < 20.01
        assert (case.decides == ("large",)) == (largest > 256)
        assert (case.decides == ("certain",)) == (surest > 9)
        expected = loss(*(case.inputs[name] for name in ("x", "w1", "w2", "yes")))
        assert case.decides != ("large",) or expected < np.log(2) - 0.2


def test_the_given_loss_is_broken_in_both_ways() -> None:
    assert faults_of((RIGHT, half_loss)).keys() == {"large", "certain"}


def test_a_chance_in_float32_breaks_later() -> None:
    assert not faults_of((RIGHT, partial(in_float32, from_scores=True)))
    assert faults_of((RIGHT, partial(in_float32, from_scores=False))).keys() == {"certain"}


def test_what_the_lesson_says_of_a_chance_in_float32() -> None:
    """17% off at a score of 15, NaN from 17 on; a loss of scores is right at any."""
    z = torch.arange(1.0, 31.0)
    true = torch.log1p(torch.exp(-z.double()))
    p = torch.sigmoid(z)
    of_chance = -(torch.log(p) + 0 * torch.log(1 - p))
    yes = torch.ones_like(z)
    of_score = torch.nn.functional.binary_cross_entropy_with_logits(z, yes, reduction="none")
    assert (of_chance[14] / true[14]).item() == pytest.approx(1.17, abs=0.01)
    assert not of_chance[:16].isnan().any() and of_chance[16:].isnan().all()
    assert torch.allclose(of_score.double(), true, rtol=1e-6, atol=0)


def test_a_model_in_float32_is_named() -> None:
    def wide(*parts):
        with torch.autocast("cpu", enabled=False):
            return in_float32(*parts, from_scores=True)

    found = faults_of((RIGHT, wide))
    assert found.keys() == {"half"}
    assert "computed in float32" in found["half"].message


def test_a_loss_without_products_is_named() -> None:
    assert "0 products" in faults_of((RIGHT, lambda x, w1, w2, y: x.sum() * 0))["half"].message


@pytest.mark.parametrize("said", [None, ..., 16, "half", torch.bfloat16])
def test_what_is_no_dtype_of_the_exercise_is_refused(said) -> None:
    with pytest.raises(AnswerError, match=r"`h \* h`"):
        read_table(RIGHT | {"h * h": said})


def test_dtypes_themselves_are_taken() -> None:
    assert read_table({text: getattr(torch, dtype) for text, dtype in RIGHT.items()}) == RIGHT


def test_the_watch_sees_powers() -> None:
    with ProductWatch() as watch:
        _ = torch.ones(2).half() ** 2, torch.ones(2).square(), 2.0 ** torch.ones(2)
    assert watch.powers == ["float16", "float32"]


def test_the_watch_sees_forward_and_backward() -> None:
    weight = torch.ones(3, 4, dtype=torch.float16, requires_grad=True)
    with ProductWatch() as watch:
        (torch.ones(2, 3, dtype=torch.float16) @ weight).float().sum().backward()
        torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4))
        torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 2))
    assert watch.dtypes[:2] == [("float16", "float16")] * 2
    assert watch.dtypes[2:] == [("float32", "float32")] * 2
