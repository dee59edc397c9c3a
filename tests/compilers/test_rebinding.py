"""A kernel's copy for Numba: the same code, with Numba's own objects in place of stand-ins."""

from __future__ import annotations

import types

import pytest

from gpuedu.compilers import rebinding
from gpuedu.compilers.rebinding import for_numba, numba_name, python_function, referenced_globals


class Stub:
    """As the SIMT machine's names for kernels are."""

    def __init__(self, dotted_name):
        self.dotted_name = dotted_name


def stand_in():
    """A module as the SIMT machine's ``cuda`` is."""
    return types.ModuleType("gpuedu.simt.host.cuda")


def defined(source, name, **scope):
    exec(compile(source, "kernels.py", "exec"), scope)
    return scope[name]


def test_names_in_numba():
    assert numba_name(stand_in()) == "numba.cuda"
    assert numba_name(Stub("cuda.atomic.add")) == "numba.cuda.atomic.add"
    assert numba_name(types) is None
    assert numba_name(Stub("math.sqrt")) is None
    assert numba_name(3) is None


def test_the_plain_function_of_a_kernel():
    def plain():
        pass

    assert python_function(plain) is plain
    assert python_function(types.SimpleNamespace(py_func=plain)) is plain


def test_globals_read_by_a_function_and_those_inside_it():
    source = """
def f(a):
    inner = lambda x: scale * x
    unread = math.pi
    a.attribute = [len(other) for other in things]
    return inner
"""
    assert referenced_globals(defined(source, "f").__code__) == {"scale", "math", "len", "things"}


def test_stand_ins_are_replaced_and_the_rest_kept(compiler):
    from numba import cuda

    source = "def kernel(a, n=2):\n    i = cuda.grid(1)\n    add(a, i, TILE * n)\n"
    own = {"cuda": stand_in(), "add": Stub("cuda.atomic.add"), "TILE": 16, "unread": object()}
    kernel = defined(source, "kernel", **own)
    twin, files = for_numba(kernel)
    assert twin.__globals__["cuda"] is cuda
    assert twin.__globals__["add"] is cuda.atomic.add
    assert twin.__globals__["TILE"] == 16
    assert "unread" not in twin.__globals__
    assert twin.__code__ is kernel.__code__ and twin.__defaults__ == (2,)
    assert files == {"kernels.py"}
    assert kernel.__globals__["cuda"] is own["cuda"]


def test_device_functions_get_dispatchers_of_their_own(compiler):
    from numba import cuda

    @cuda.jit(device=True, inline="always")
    def helper(x):
        return x + 1

    def kernel(a):
        a[0] = helper(a[0])

    twin, _ = for_numba(kernel)
    (cell,) = twin.__closure__
    copy = cell.cell_contents
    assert copy is not helper
    assert type(copy) is type(helper)
    assert copy.targetoptions["inline"] == "always"
    assert copy.py_func.__code__ is helper.py_func.__code__
    assert helper.overloads == {}


def test_device_functions_that_call_each_other_are_copied_once(compiler):
    scope = {}
    exec("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n", scope)
    f, g = (types.SimpleNamespace(py_func=scope[name]) for name in "fg")
    scope |= {"f": f, "g": g}
    twin, _ = for_numba(f.py_func)
    inner = twin.__globals__["g"].py_func
    outer = inner.__globals__["f"].py_func
    assert outer.__globals__["g"].py_func is inner


def test_a_variable_that_is_not_yet_assigned_stays_so():
    def outer():
        def kernel(a):
            a[0] = later

        twin, _ = for_numba(kernel)
        later = 1
        return twin, later

    (cell,) = outer()[0].__closure__
    with pytest.raises(ValueError):
        _ = cell.cell_contents


def test_a_name_that_numba_lacks_is_an_import_error():
    with pytest.raises((ImportError, AttributeError)):
        rebinding._find("numba.cuda.no_such_thing")
