"""What a learner's process tells of a kernel becomes that kernel, and nothing of the course's."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from gpuedu import allowance
from gpuedu.grading.player import serving
from gpuedu.grading.player.serialization import describe_answer, rebuild_answer

TEXT = """
def add_one(x):
    x[0] += 1
"""


def kernel(file):
    from gpuedu.backend import cuda

    linecache.cache[file] = (len(TEXT), None, TEXT.splitlines(True), file)
    scope = {}
    exec(compile(TEXT, file, "exec"), scope)
    return cuda.jit(scope["add_one"])


@pytest.mark.filterwarnings("ignore")  # so small a launch is none for a GPU
def test_a_kernel_that_says_it_is_a_file_of_the_course_replaces_none_of_its_lines():
    told = describe_answer(kernel("<cell>"))
    told["file"] = allowance.__file__
    before = linecache.getlines(allowance.__file__)
    rebuilt = rebuild_answer(told, 0, None, None)
    assert linecache.getlines(allowance.__file__) == before
    x = np.zeros(1, np.int32)
    rebuilt[1, 1](x)
    assert x[0] == 1


def test_a_type_is_no_function_wherever_it_comes_from():
    """A learner's process may say whatever it likes: ``numpy.memmap(n, threads)`` was called."""
    told = [describe_answer(one) for one in (np.memmap, print, print)]
    assert told[0] == {"kind": "name", "module": "numpy", "name": "memmap"}
    request = {"exercise": "launch-shape", "answers": told, "limit_s": 9.0}
    message, _, _ = serving._Player(None).rebuild(request)["problem"]
    assert message == "`blocks_for` should be a function, got the class memmap"
