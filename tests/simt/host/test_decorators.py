from __future__ import annotations

import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.decorators import CudaConfigurationWarning
from gpuedu.simt.host.kernels import Kernel


def function(x):
    x[0] = 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.jit(function),
        lambda: cuda.jit()(function),
        lambda: cuda.jit("void(float32[:])")(function),
        lambda: cuda.jit(["void(float32[:])", "void(int8[:])"])(function),
        lambda: cuda.jit("void(float32[:])", fastmath=True, opt=False)(function),
    ],
)
def test_every_form_makes_a_kernel(make):
    assert isinstance(make(), Kernel) and make().py_func is function


def test_options_are_kept():
    options = cuda.jit(
        device=True, inline="always", forceinline=True, fastmath=True, opt=False, debug=True,
        max_registers=32, launch_bounds=(128, 2), cache=True, lto=True, shared_memory_carveout=50,
    )(function).targetoptions  # fmt: skip
    assert options["device"] and options["fastmath"] and options["max_registers"] == 32
    assert options["launch_bounds"] == (128, 2) and options["inline"] == "always"


@pytest.mark.parametrize(
    "options, fault, text",
    [
        ({"nonsense": 1}, TypeError, "nonsense"),
        ({"boundscheck": True}, NotImplementedError, "bounds checking"),
        ({"link": ["a.cu"]}, NotImplementedError, "link"),
        ({"argtypes": (1,)}, TypeError, "argtypes"),
        ({"restype": 1}, TypeError, "restype"),
        ({"bind": True}, TypeError, "bind"),
        ({"launch_bounds": (1, 2, 3, 4)}, ValueError, "4 launch bounds"),
        ({"shared_memory_carveout": "most"}, ValueError, "most"),
        ({"shared_memory_carveout": 101}, ValueError, "-1 and 100"),
        ({"shared_memory_carveout": 1.5}, TypeError, "float"),
    ],
)
def test_options_that_are_refused(options, fault, text):
    with pytest.raises(fault, match=text):
        cuda.jit(function, **options)


@pytest.mark.parametrize("thing", [3, [3], "void(nothing)", (3,)])
def test_what_is_no_function_and_no_signature(thing):
    with pytest.raises((TypeError, NameError)):
        cuda.jit(thing)(function)


def test_options_that_clash_are_told():
    with pytest.warns(CudaConfigurationWarning, match="opt=False"):
        cuda.jit(function, debug=True)
    with pytest.warns(CudaConfigurationWarning, match="lineinfo"):
        cuda.jit(function, debug=True, opt=False, lineinfo=True)
