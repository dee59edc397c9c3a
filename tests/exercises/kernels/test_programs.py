"""Kernels in Triton as answers: what a play sees of them, and how they reach a grader."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.programs import program_play, run_program
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.grading.player.serialization import describe_answer, rebuild_answer
from gpuedu.grading.wire import pack, unpack
from tests.triton import kernels

PLAY = program_play("softmax(x, out, x_stride, out_stride, columns, BLOCK)", reads=("x", "out"))


def inputs(rows=3, columns=100, **changed):
    x = np.random.default_rng(0).normal(size=(rows, columns)).astype(np.float32)
    given = {"x": x, "out": np.zeros_like(x), "x_stride": columns, "out_stride": columns}
    return {**given, "columns": columns, "BLOCK": 128, "grid": rows, "threads": 64, **changed}


def test_a_play_sees_values_traffic_and_what_was_found():
    given = inputs()
    seen = PLAY.run([kernels.softmax], given)
    powers = np.exp(given["x"])
    np.testing.assert_allclose(seen["out"], powers / powers.sum(1, keepdims=True), rtol=1e-5)
    assert read_sightings(seen["sightings"]) == ()
    assert seen["complete"]
    by_program = seen["x.reads"]
    assert by_program.shape == (3, 300)
    assert [np.flatnonzero(one).tolist() for one in by_program] == [
        list(range(100 * row, 100 * row + 100)) for row in range(3)
    ]
    assert by_program.max() == 1
    assert not seen["out.reads"].any()
    assert (seen["out.times"] == 1).all()


def test_a_hazard_has_its_line_and_text():
    seen = PLAY.run([kernels.softmax], inputs(x_stride=101))
    (found,) = read_sightings(seen["sightings"])
    assert found.is_hazard
    assert found.kind == "out-of-bounds"
    assert found.text.startswith("values = tl.load(x + row * x_stride + at")
    assert found.block == (2, 0, 0)


@triton.jit
def prints(x, out):
    print(x)
    tl.store(out, 1.0)


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        (lambda x, out: None, "is no kernel in Triton"),
        (3, "it is no kernel in Triton"),
        (prints, r"line \d+: `print` is not known in a kernel"),
    ],
)
def test_what_is_no_kernel_is_told(kernel, told):
    with pytest.raises(AnswerError, match=told):
        run_program(kernel, 1, 32, np.ones(3, np.float32), np.ones(3, np.float32))


def test_a_grader_runs_what_a_learner_wrote():
    told = unpack(pack(describe_answer(kernels.matmul)))
    assert told["kind"] == "program"
    rebuilt = rebuild_answer(told, 0, None)
    a, b = np.ones((20, 30), np.float32), np.ones((30, 40), np.float32)
    c = np.zeros((20, 40), np.float32)
    sizes = (20, 40, 30, 30, 40, 40)
    run_program(rebuilt, 6, 64, a, b, c, *sizes, 16, 16, 16, 2, "ieee")
    assert (c == 30).all()


@triton.jit
def of_a_hundred(x, out):
    tl.store(out + tl.arange(0, 100), tl.load(x + tl.arange(0, 100)))


def test_what_triton_does_not_take_is_told_with_its_line_and_a_remedy():
    given = np.ones(100, np.float32), np.ones(100, np.float32)
    with pytest.raises(AnswerError, match=r"on line \d+, `tl.store.* power of 2") as told:
        run_program(of_a_hundred, 1, 128, *given)
    assert "power of 2" in told.value.remedy


@triton.jit
def keeps_turns(x, out, n, BLOCK: tl.constexpr):
    kept = ()
    for start in range(0, n, BLOCK):
        kept += (tl.load(x + start + tl.arange(0, BLOCK)),)
    for turn in range(len(kept)):
        tl.store(out + turn * BLOCK + tl.arange(0, BLOCK), kept[turn])


@triton.jit
def block_of_an_argument(x, out, n):
    at = tl.arange(0, int(n))
    tl.store(out + at, tl.load(x + at))


@triton.jit
def sum_of_another_type(x, out, n):
    total = 0
    for i in range(n):
        total += tl.load(x + i)
    tl.store(out, total)


@pytest.mark.parametrize(
    ("kernel", "constants", "told"),
    [
        (keeps_turns, (16,), r"does not compile `keeps_turns` in line \d+"),
        (block_of_an_argument, (), r"does not compile `block_of_an_argument` in line \d+"),
        (sum_of_another_type, (), r": Loop-carried variable total has initial type int32"),
    ],
)
def test_what_only_an_interpreter_runs_is_no_kernel(kernel, constants, told):
    given = np.ones(64, np.float32), np.ones(64, np.float32), 64, *constants
    with pytest.raises(AnswerError, match=told):
        run_program(kernel, 1, 128, *given)


def test_an_argument_that_is_one_is_a_number_like_others():
    seen = PLAY.run([kernels.softmax], inputs(rows=1, columns=1, BLOCK=1))
    assert seen["out"].tolist() == [[1.0]]


@pytest.mark.parametrize("text", ["import os", "().__class__", "open('x')", "tl.core"])
def test_a_grader_executes_nothing_but_tritons_language(text):
    body = f"def softmax(x):\n    {text}\n"
    told = {"kind": "program", "file": "<cell>", "text": body, "name": "softmax", "line": 1}
    with pytest.raises(AnswerError, match="line 2: "):
        rebuild_answer({**told, "numbers": {}, "calls": {}}, 0, None)
    with pytest.raises(AnswerError, match="unknown form"):
        rebuild_answer(told, 0, None)
