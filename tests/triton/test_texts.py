"""A kernel goes to another process as a text, and does there what it does here."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from gpuedu.errors import AnswerError
from gpuedu.triton import language, simulate
from gpuedu.triton.texts import rebuilt, told
from tests.triton import kernels

LOG2E: tl.constexpr = tl.constexpr(1.5)
SHIFT = -3


@triton.jit
def shifted(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * LOG2E + SHIFT, mask=at < n)


def launch(kernel):
    m, n, k = 50, 40, 33
    torch.manual_seed(0)
    a, b, c = torch.randn(m, k), torch.randn(k, n), torch.empty(m, n)
    tiles = {"M": 16, "N": 16, "K": 16, "GROUP": 2, "PRECISION": "ieee"}
    return c, simulate(kernel, 12, 64, a, b, c, m, n, k, k, n, n, **tiles)


def test_a_kernel_with_a_function_that_it_calls():
    ours, trace = launch(kernels.matmul)
    theirs, other = launch(rebuilt(told(kernels.matmul)))
    assert torch.equal(ours, theirs)
    for one, two in zip(trace.sites, other.sites, strict=True):
        assert (one.place.line, one.text) == (two.place.line, two.text)
        assert one.sectors.tolist() == two.sectors.tolist()


def test_numbers_that_a_kernel_uses():
    x, out = torch.randn(100), torch.empty(100)
    trace = simulate(rebuilt(told(shifted)), 1, 128, x, out, 100, BLOCK=128)
    torch.testing.assert_close(out, x * 1.5 - 3)
    assert trace.hazards == ()
    assert trace.launch.sources[0].text.startswith("def shifted")


def test_every_kernel_survives_the_way():
    for name, one in vars(kernels).items():
        if hasattr(one, "run"):
            found = rebuilt(told(one))
            assert found.fn.__name__ == name
            assert found.arg_names == one.arg_names


CELL = "@triton.jit\ndef f(x):\n    return x\n"
WHOLE = {"file": "<cell>", "text": CELL, "name": "f", "line": 1, "numbers": {}, "calls": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"text": None},
        {"text": "print('run')\n" + CELL, "name": "g"},
        {"text": "(" * 1000},
        {"text": "\0"},
        {"text": "#" * 2_000_000},
        {"line": 7},
        {"line": True},
        {"numbers": {"a": []}},
        {"numbers": {"__builtins__": 1}},
        {"numbers": {1: 1}},
        {"calls": {"g": 3}},
        {"calls": {"tl": WHOLE}},
        {"calls": {"g": {**WHOLE, "text": CELL.replace("return x", "import os")}}},
        {"name": "__init__"},
    ],
)
def test_what_has_another_form_is_refused(change):
    assert rebuilt(WHOLE).fn.__name__ == "f"
    with pytest.raises((AnswerError, language.LanguageError)):
        rebuilt({**WHOLE, **change})
    with pytest.raises(AnswerError):
        rebuilt([WHOLE])


def test_kernels_that_lie_in_each_other_without_end():
    deep = WHOLE
    for _ in range(30):
        deep = {**WHOLE, "calls": {"g": deep}}
    with pytest.raises(AnswerError, match="too deep"):
        rebuilt(deep)


def test_the_cell_itself_is_not_run(capsys):
    rebuilt({**WHOLE, "text": "print('run')\n" + CELL, "line": 2})
    assert capsys.readouterr().out == ""


HIDDEN = "def double(x):\n    raise RuntimeError('Python ran')\n"
SEEN = "    tl.store(x, 2 * tl.load(x))\n"
MISLEADING = {
    "a later def in a string": f'def double(x):\n    """\n{HIDDEN}    #"""\n{SEEN}',
    "a def before a broken one": f'text = """\n{HIDDEN}"""\ndef\\\n double(x):\n{SEEN}',
    "lines that Python does not count": f'text = """\u2028\x0c\x1c\n{HIDDEN}"""\ndef double(x):\n{SEEN}',
}
"""Cells in which ``inspect``, or Triton, takes another text for the function's."""


@pytest.mark.parametrize("name", MISLEADING)
def test_what_was_looked_at_is_what_runs(name):
    cell = MISLEADING[name]
    line = cell.split("\n").index('"""') + 2 if cell.startswith("text") else 1
    kernel = rebuilt({**WHOLE, "text": cell, "name": "double", "line": line})
    x = torch.tensor([3.0])
    trace = simulate(kernel, 1, 32, x)
    assert (x.item(), trace.hazards) == (6.0, ())
