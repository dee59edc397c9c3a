"""What the compiler refuses is told as the learner's, with a way out."""

from __future__ import annotations

import pytest

from gpuedu import compilers
from gpuedu.compilers import KernelCompileError
from gpuedu.errors import AnswerError
from gpuedu.exercises.mixed_precision.tensor_cores.tensor_products import compiled_of as products_of
from gpuedu.exercises.registers.kernels import compiled_cuda_c, compiled_tile
from gpuedu.exercises.registers.tables import compiled_stack


def refused(*_, **__):
    raise KernelCompileError("line 3 has no type", remedy="give it one")


@pytest.mark.parametrize("ask", [compiled_tile, compiled_cuda_c, compiled_stack, products_of])
def test_a_kernel_that_the_compiler_refuses(ask, monkeypatch):
    monkeypatch.setattr(compilers, "compiled_facts", refused)
    with pytest.raises(AnswerError, match="compiler refuses it: line 3") as told:
        ask(refused)
    assert told.value.remedy == "give it one"
