"""The exercise on tensor cores: its truths, its causes, and what it says to odd answers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu import cp
from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Fault
from gpuedu.exercises.mixed_precision.tensor_cores import judge as tensor_cores
from gpuedu.exercises.mixed_precision.tensor_cores import pictures_tensor, tensor_products
from gpuedu.exercises.mixed_precision.tensor_cores.judge import tensor_causes
from gpuedu.exercises.mixed_precision.tensor_cores.picture import draw_walk
from gpuedu.exercises.registry import load_play
from gpuedu.figures import style

PLAY = load_play("tensor-cores")
KERNEL = r"""
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + k * N + column, N);
        wmma::mma_sync(sums, of_a, of_b, sums);
    }
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
}"""
SINCE = {"tf32": 8.0, "bf16": 8.0, "fp8": 8.9}


def kernel(code=KERNEL):
    return cp.RawKernel(code, "matmul")


def tf32(x):
    return ((x.view(torch.int32) + 2**12) & -(2**13)).view(torch.float32)


def played(case, matmul=None, since=SINCE, rounds=tf32):
    inputs = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in case.inputs.items()}
    return PLAY.run((matmul or kernel(), since, rounds), inputs)


def faults(case, observed):
    return [one for one in tensor_cores.verdict(case, observed) if isinstance(one, Fault)]


def all_cases(seed=1):
    return tensor_cores.cases(np.random.default_rng(seed))


def test_the_truth_about_formats_is_the_catalogues():
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


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a, b: a[:, :16] @ b[:16], "only the first step"),
        (lambda a, b: a[:, -16:] @ b[-16:], "only the last step"),
        (lambda a, b: a[:, :-16] @ b[:-16], "The last step is missing"),
        (lambda a, b: tensor_causes._turned_tiles(a @ b), "every tile of `c` is turned"),
        (lambda a, b: (a @ b) * np.nan, "NaN"),
        (
            lambda a, b: tensor_causes._by_tiles(a, b, b.shape[1], b.shape[1]),
            "as if they were N elements apart",
        ),
        (lambda a, b: 3 * (a @ b), "Follow one tile"),
    ],
)
def test_a_slip_is_known_by_what_it_gives(change, says):
    case = all_cases()[1]
    a, b = (case.inputs[name].astype(np.float64) for name in ("a", "b"))
    observed = {**played(case), "c": change(a, b).astype(np.float32)}
    (right,) = (fault for fault in faults(case, observed) if fault.property == "right")
    assert says in right.cause


def test_a_kernel_that_writes_nothing_shows_nothing():
    idle = kernel(KERNEL.replace("wmma::store_matrix_sync", "if (K < 0) wmma::store_matrix_sync"))
    case = all_cases()[0]
    found = faults(case, played(case, idle))
    assert {fault.property for fault in found} == set(case.decides)
    assert "no element" in found[0].message


@pytest.mark.parametrize(
    ("rounds", "says"),
    [
        (lambda x: (x.view(torch.int32) + 4096 & ~8191).float(), "bits as whole numbers"),
        (lambda x: (x.int() + 4096 & ~8191).view(torch.float32), "were made whole"),
        (lambda x: (x.int() + 4096 & ~8191).float(), "were made whole"),
        (lambda x: x * torch.log2(x.abs()) / torch.log2(x.abs()), "logarithm of 0"),
        (lambda x: tf32(x) * 3, "the last 13 go"),
    ],
)
def test_a_slip_in_the_rounding_is_known(rounds, says):
    case = all_cases()[-1]
    found = faults(case, played(case, rounds=rounds))
    assert len(found) == 1 and says in found[0].cause


def test_a_rounding_that_changes_its_argument_is_refused():
    def in_place(x):
        bits = x.view(torch.int32)
        bits += 2**12
        bits &= -(2**13)
        return x

    case = all_cases()[-1]
    (found,) = faults(case, played(case, rounds=in_place))
    assert found.property == "tf32" and "changed its argument" in found.message


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
