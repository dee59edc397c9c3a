"""What a learner's process tells of compiled code becomes that code, and nothing of the course's."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from gpuedu import allowance
from gpuedu.errors import AnswerError
from gpuedu.grading.player import serving
from gpuedu.grading.player.serialization import describe_answer, rebuild_answer
from gpuedu.grading.wire import pack, unpack

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


def test_a_kernel_is_of_no_library_because_it_says_so():
    told = describe_answer(kernel("<cell>"))
    told["globals"]["__name__"] = {"kind": "value", "value": "operator"}
    assert rebuild_answer(told, 0, None, None).py_func.__module__ == "__main__"


def test_a_type_is_no_function_wherever_it_comes_from():
    """A learner's process may say whatever it likes: ``numpy.memmap(n, threads)`` was called."""
    told = [describe_answer(one) for one in (np.memmap, print, print)]
    assert told[0] == {"kind": "name", "module": "numpy", "name": "memmap"}
    request = {"exercise": "launch-shape", "answers": told, "limit_s": 9.0}
    message, _, _ = serving._Player(None).rebuild(request)["problem"]
    assert message == "`blocks_for` should be a function, got the class memmap"


COMPILED = """
import math
import numba
import numpy as np
from gpuedu.backend import cuda
from numba import float32, get_num_threads, njit, objmode, prange, types, vectorize

FACTORS = np.array([2.0, 3.0])
by_ctypes = np.ctypeslib


@njit
def scaled(value, by=2.0):
    return value * by * FACTORS[0] / 2


@vectorize
def with_one(value):
    return value + 1


def function_around(more):
    @njit(parallel=True, fastmath={"nnan"}, cache=False)
    def inside(x):
        for i in prange(x.size):
            x[i] = math.sqrt(scaled(x[i])) + more + float32(0)

    return inside


around = function_around(1.0)


@cuda.jit
def calls_another(x):
    x[0] = scaled(x[0])


@njit
def whole(x):
    x[:] = with_one(x)


@njit("void(float32[:], int64)", parallel=True)
def eager(x, n):
    for i in numba.prange(n):
        x[i] = get_num_threads() * 0


def plain(x):
    return scaled(x)


def alone(x):
    return x


@njit
def in_python(x):
    with objmode():
        print(x)


@njit
def in_python_by_module(x):
    with numba.objmode():
        print(x)


@njit
def at_an_address(x):
    return numba.carray(x.ctypes.data, 3)


@njit
def of_the_compiler(x):
    return numba.core.types


@njit
def by_a_module(x):
    return by_ctypes.as_array(x)


@njit
def by_getattr(x):
    return getattr(np, "ctypeslib")


of_another_name = getattr


@njit
def by_another_name(x):
    return of_another_name(x, "ctypes").data


@numba.jit(forceobj=True)
def in_object_mode(x):
    return x


@njit(locals={"y": types.float32})
def with_types_of_locals(x):
    y = x[0]
    return y
"""


@pytest.fixture(scope="module")
def compiled():
    scope, file = {"__name__": "__main__"}, "<compiled>"
    linecache.cache[file] = (len(COMPILED), None, COMPILED.splitlines(True), file)
    exec(compile(COMPILED, file, "exec"), scope)
    return scope


def there(function):
    """The function as it arrives where the learner's Python did not run."""
    return rebuild_answer(unpack(pack(describe_answer(function))), 0, None, None, compiles=True)


def test_a_compiled_function_arrives_with_what_it_uses(compiled):
    own = compiled["around"]
    found = there(own)
    x = np.array([2.0, 8.0], np.float32)
    found(x)
    assert x.tolist() == [3.0, 5.0]
    assert found.targetoptions["fastmath"] == {"nnan"}
    assert found.targetoptions["parallel"] is True
    assert found.py_func is not own.py_func
    assert own.signatures == []  # nothing was compiled where it is from


def test_a_vectorized_function_arrives_too(compiled):
    found, x = there(compiled["whole"]), np.zeros(2, np.float32)
    found(x)
    assert x.tolist() == [1.0, 1.0]


def test_a_function_with_a_signature_has_no_other(compiled):
    found, x = there(compiled["eager"]), np.ones(3, np.float32)
    assert found.signatures == compiled["eager"].signatures
    found(x, 2)
    assert x.tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(TypeError, match="No matching definition"):
        found(np.ones(3), 2)


def test_a_plain_function_stays_and_tells_whether_it_calls_a_compiled_one(compiled):
    told = [describe_answer(compiled[name]) for name in ("plain", "alone")]
    assert [one["kind"] for one in told] == ["function", "function"]
    found = [rebuild_answer(one, 0, lambda *_: 7, None, compiles=True) for one in told]
    assert [one.calls_compiled for one in found] == [True, False]
    assert found[0](3) == 7


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("in_python", "`objmode` of Numba"),
        ("in_python_by_module", "`objmode`"),
        ("at_an_address", "`carray`"),
        ("of_the_compiler", "`core`"),
        ("by_a_module", "`numpy.ctypeslib`"),
        ("by_getattr", "`getattr`"),
        ("by_another_name", "`builtins.getattr`"),
        ("in_object_mode", "option `forceobj`"),
        ("with_types_of_locals", "option `locals`"),
    ],
)
def test_compiled_code_uses_nothing_that_leads_out_of_it(name, refused, compiled):
    with pytest.raises(AnswerError, match=f"{refused}.* cannot be used.* when a class is graded"):
        there(compiled[name])


def test_a_signature_of_other_things_than_numbers_and_arrays_is_refused():
    from numba import njit, types

    function = njit([(types.unicode_type,)])(lambda text: len(text))
    with pytest.raises(AnswerError, match="signature with `unicode_type`"):
        describe_answer(function)


@pytest.mark.parametrize(
    "change",
    [
        {"options": {"pipeline_class": "Compiler"}},
        {"options": {"nopython": False}},
        {"options": {"parallel": "yes"}},
        {"signatures": "void()"},
        {"signatures": []},
        {"signatures": [["ExternalFunction"]]},
        {"signatures": [["pyobject"]]},
        {"signatures": [[["array", "pyobject", 1, "C", False]]]},
        {"signatures": [[["array", "float32", 99, "C", False]]]},
        {"globals": {"scaled": {"kind": "name", "module": "numba", "name": "cfunc"}}},
        {"globals": {"scaled": {"kind": "module", "name": "numba.core.unsafe"}}},
        {"globals": {"scaled": {"kind": "module", "name": "os"}}},
    ],
)
def test_what_no_learner_can_write_is_refused(change, compiled):
    told = describe_answer(compiled["whole"]) | change
    with pytest.raises(AnswerError):
        rebuild_answer(told, 0, None, None, compiles=True)


def test_elsewhere_a_compiled_function_stays_where_it_is(compiled):
    for name in ("scaled", "with_one"):
        found = rebuild_answer(describe_answer(compiled[name]), 0, lambda *_: 7, None)
        assert found(1.0) == 7


@pytest.mark.filterwarnings("ignore")
def test_a_kernel_may_call_a_compiled_function(compiled):
    found, x = rebuild_answer(describe_answer(compiled["calls_another"]), 0, None, None), np.ones(1)
    found[1, 1](x)
    assert x[0] == 2.0
