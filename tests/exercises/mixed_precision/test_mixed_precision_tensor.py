"""The exercise on tensor cores: its truths, what it observes, and what it says to odd answers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu import cp
from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Fault, Undecided
from gpuedu.exercises.mixed_precision.tensor_cores import judge as tensor_cores
from gpuedu.exercises.mixed_precision.tensor_cores import pictures_tensor, tensor_products
from gpuedu.exercises.mixed_precision.tensor_cores.picture import draw_walk
from gpuedu.exercises.registry import load_play
from gpuedu.figures import style
from tests.exercises.stored import solution_answers, stored_answers

PLAY = load_play("tensor-cores")
RIGHT = solution_answers("tensor-cores")
KERNEL, SINCE, tf32 = RIGHT["matmul"].code, RIGHT["since"], RIGHT["tf32"]


def kernel(code=KERNEL):
    return cp.RawKernel(code, "matmul")


def played(case, matmul=None, since=SINCE, rounds=tf32):
    inputs = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in case.inputs.items()}
    return PLAY.run((matmul or kernel(), since, rounds), inputs)


def faults(case, observed):
    return [one for one in tensor_cores.verdict(case, observed) if isinstance(one, Fault)]


def all_cases(seed=1):
    return tensor_cores.cases(np.random.default_rng(seed))


def test_the_truth_about_formats_is_the_catalogs():
    assert [tensor_cores.truth_of(name) for name in tensor_cores.FORMATS] == [8.0, 8.0, 8.9]


def test_the_rounding_is_that_of_bits():
    for seed in range(5):
        x = all_cases(seed)[-1].inputs["x"]
        np.testing.assert_array_equal(
            tensor_cores.rounded(x), tf32(torch.from_numpy(x)).numpy().astype(np.float64)
        )


def test_sums_in_half_are_off_by_more_than_float32_allows_in_every_long_case():
    for seed in range(5):
        case = all_cases(seed)[4]
        a, b = (case.inputs[name].astype(np.float32) for name in ("a", "b"))
        total = np.zeros((a.shape[0], b.shape[1]), np.float16)
        for k in range(0, a.shape[1], 16):
            total = (total + a[:, k : k + 16] @ b[k : k + 16]).astype(np.float16)
        observed = {**played(case), "c": total.astype(np.float32)}
        assert {fault.property for fault in faults(case, observed)} == {"float32"}


def test_what_an_accumulator_holds_by_chance_leaves_the_product_undecided():
    case = all_cases()[1]
    given = stored_answers("tensor-cores", "wrong", "not_filled")
    found = {fault.property: fault for fault in faults(case, played(case, given["matmul"]))}
    assert not isinstance(found["warp"], Undecided)
    assert all(isinstance(found[prop], Undecided) for prop in ("right", "float32"))


def test_a_kernel_that_writes_nothing_shows_nothing():
    idle = kernel(KERNEL.replace("wmma::store_matrix_sync", "if (K < 0) wmma::store_matrix_sync"))
    case = all_cases()[0]
    found = faults(case, played(case, idle))
    assert {fault.property for fault in found} == set(case.decides)
    assert "no element" in found[0].message


def test_without_a_compiler_the_source_alone_is_judged(monkeypatch):
    told = {"compiler": "none here", "products": 0, "registers": 0, "fma": 0}
    monkeypatch.setattr(
        "gpuedu.exercises.mixed_precision.tensor_cores.play.compiled_of", lambda matmul: told
    )
    case = all_cases()[1]
    found = list(tensor_cores.verdict(case, played(case)))
    assert len(found) == 1 and "not compiled here: none here" in found[0].message


def test_odd_answers_are_named():
    product, table, numbers = all_cases()[0], all_cases()[5], all_cases()[6]
    with pytest.raises(AnswerError, match="no entry for 'fp8'"):
        played(table, since={"tf32": 8.0, "bf16": 8.0})
    assert played(table, since={"tf32": (8, 0), "bf16": 8, "fp8": [8, 9]})["got"] == [8, 8, 8.9]
    with pytest.raises(AnswerError, match="float32"):
        played(numbers, rounds=lambda x: x.half())
    with pytest.raises(AnswerError, match="do not fit the launch"):
        played(product, kernel(KERNEL.replace("float* c, ", "float* c, float* d, ")))
    with pytest.raises(AnswerError, match="cannot be compiled"):
        played(product, kernel(KERNEL.replace("+ k, K)", "+ k)")))
    with pytest.raises(AnswerError, match="RawKernel"):
        PLAY.answers[0].require(len)


def test_the_pictures_of_a_right_kernel():
    shown = style.alt_text(draw_walk(kernel(), SINCE, tf32))
    assert "Step 4: rows 16 to 31 and columns 64 to 79 of a; rows 64 to 79" in shown
    told = pictures_tensor.tell_work(kernel())
    assert "8,192" in told and "3.8" in told
    t4, a100 = pictures_tensor.tell_formats().splitlines()[1:3]
    assert t4.split()[-2:] == ["65", "-"] and a100.split()[-4:] == ["156", "312", "312", "-"]
    rows = pictures_tensor.tell_tf32(kernel(), SINCE, tf32).splitlines()
    errors = [[float(cell) for cell in row.split()[-2:]] for row in rows[1:4]]
    assert errors[0][0] < 1e-6 < errors[1][0] < 1e-3 < errors[2][1]


def test_the_picture_of_a_kernel_that_loads_nothing_says_so():
    empty = kernel(KERNEL.replace("k < K", "k < 0"))
    with pytest.raises(AnswerError, match="does not load `a` yet"):
        draw_walk(empty)


def test_what_the_account_tells_of_a_product():
    case = all_cases()[1]
    seen = tensor_products.seen_of(tensor_products.run_product(kernel(), case.inputs), case.inputs)
    assert seen["tensor_flop"] == 2 * 32 * 48 * 80 and seen["lane_flop"] == 0
