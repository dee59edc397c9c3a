from __future__ import annotations

import re

import numpy as np
import pytest

from gpuedu.simt.arguments import kind_of_argument, prepare
from gpuedu.simt.host import cuda
from gpuedu.simt.machine.codegen import Compiled, generate
from gpuedu.simt.machine.codegen.leaving import may_leave
from gpuedu.simt.program import Break, Const, Continue, If, Inline, Loop, Return
from gpuedu.simt.python import compile_kernel
from gpuedu.trace import Place
from tests.sampled import sampled
from tests.simt.kernels_generated.nests import nest
from tests.simt.python.reference import as_python

NEVER = Const(np.False_)


def compiled(kernel, *arguments, traced: bool = False) -> Compiled:
    kinds = [kind_of_argument(a) for a in prepare(arguments)]
    return generate(compile_kernel(kernel, kinds), traced=traced)


def loop(*body) -> Loop:
    return Loop([], NEVER, None, list(body), None, Place("k", 1))


def test_what_threads_may_leave_by():
    assert may_leave(Break()) and may_leave(Continue()) and may_leave(Return())
    assert may_leave(If(NEVER, [], [Break()], None))
    assert may_leave(If(NEVER, [If(NEVER, [Return()], [], None)], [], None))
    assert may_leave(loop(If(NEVER, [Return()], [], None)))
    assert may_leave(loop(loop(Return())))


def test_what_threads_may_not_leave_by():
    assert not may_leave(loop(Break()))  # it ends the loop, not what follows it
    assert not may_leave(loop(If(NEVER, [Continue()], [], None)))
    assert not may_leave(Inline([Return()]))  # it ends the function, not its caller
    assert not may_leave(If(NEVER, [loop(Break())], [Inline([Return()])], None))


def add(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] + 1


def test_only_traced_code_counts():
    arguments = np.zeros(3), np.zeros(3)
    plain, traced = compiled(add, *arguments), compiled(add, *arguments, traced=True)
    assert "M.count" not in plain.text and plain.regions == ()
    assert traced.text.count("M.count(") == len(traced.regions) == 2
    assert "M.branch(0, m, " in traced.text and "narrow(m, " in plain.text
    assert traced.regions[1].flop == {(traced.regions[1].lines[0], "float64"): 1}


def test_text_is_made_of_slots_and_constants_only():
    def kernel(a, out):
        i = cuda.grid(1)
        __import__ = 7
        größe = a[i] + __import__
        out[i] = größe * 12345

    text = compiled(kernel, np.zeros(3), np.zeros(3)).text
    assert "12345" not in text
    names = set(re.findall(r"[^\W\d]\w*", text))
    allowed = {"kernel", "parameters", "def", "return", "pass", "M", "m", "everybody", "None"}
    allowed |= {"grid_x", "load", "store", "np", "astype", "False", "True", "if", "is", "not"}
    assert {n for n in names - allowed if not re.fullmatch(r"(v_\w+|[cm]\d+)", n)} == set()


def test_nothing_is_guarded_that_nobody_can_leave():
    def straight(a, out):
        i = cuda.grid(1)
        if a[i] > 0:
            out[i] = 1
        out[i] += 1

    def leaving(a, out):
        i = cuda.grid(1)
        if a[i] > 0:
            return
        out[i] += 1

    arguments = np.zeros(3), np.zeros(3)
    assert "if m is not False" not in compiled(straight, *arguments).text
    assert "if m is not False" in compiled(leaving, *arguments).text


# Values that only some threads have


def hit_in_an_inner_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(3):
            for j in range(2):
                if a[i] == k * 2 + j:
                    hit = k
            if a[i] // 2 == k and a[i] >= 0:
                out[i] += hit * 2 + 1


def worked_out_for_nobody(a, out):
    i = cuda.grid(1)
    if i < a.size:
        ok = False
        if a[i] == 500:
            x = a[i] + 1
            ok = True
        y = x * 2 if ok else 0
        if not ok:
            out[i] = y + 5


def elif_that_nobody_takes(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] == 500:
            x = a[i] + 1
        elif a[i] == 501:
            x = a[i] + 2
        else:
            x = a[i] + 3
        out[i] = x


def first_value_in_a_while(a, out):
    i = cuda.grid(1)
    if i < a.size:
        k = 0
        done = False
        while k < 4:
            if a[k] > 2:
                last = a[k] + i
                done = True
            k += 1
        if done:
            out[i] = last * 2 - 1


@pytest.mark.parametrize("size", [32, 70])
@pytest.mark.parametrize(
    "kernel",
    [
        hit_in_an_inner_loop,
        worked_out_for_nobody,
        elif_that_nobody_takes,
        first_value_in_a_while,
    ],
)
def test_values_that_only_some_threads_have(kernel, size):
    a = np.random.default_rng(size).integers(-4, 9, size)
    as_python(kernel, 3, 32, a, np.zeros(size, np.int64))


# Random nests of jumps


@pytest.mark.parametrize("seed", sampled(range(40), every=4))
def test_random_nests_of_jumps(seed, tmp_path):
    path = tmp_path / f"nest_{seed}.py"
    path.write_text("from gpuedu.simt.host import cuda\n\n\n" + nest(seed))
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    a = np.random.default_rng(seed).integers(0, 50, 11)
    as_python(scope["kernel"], 2, 32, a, np.zeros(64, np.int64))
