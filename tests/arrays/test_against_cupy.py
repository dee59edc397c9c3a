"""What CuPy itself says without a GPU: its names, its signatures, its elementwise dtypes."""

from __future__ import annotations

import itertools
from importlib import import_module
from inspect import signature

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import table
from gpuedu.arrays.elementwise import UFUNCS
from gpuedu.arrays.lists import cupy_names, read

cupy = pytest.importorskip("cupy", minversion="14.0")
if cupy.__version__.split(".")[0] != "14":
    pytest.skip("the lists are of CuPy 14", allow_module_level=True)

DTYPES = [np.dtype(char) for char in "?bhilBHILefdFD"]
# CuPy has complex loops of these, and NumPy has none; and it takes booleans where NumPy does not.
COMPLEX_IN_CUPY_ONLY = {"arctan2", "copysign", "hypot", "i0", "nextafter"}
BOOLEAN_IN_CUPY_ONLY = {"gcd", "lcm", "sign"}
# CuPy lists these with booleans in order to refuse them, as NumPy does.
REFUSED_BOOLEANS = {"negative", "positive", "subtract"}


def cupys_types(name, given):
    for line in getattr(cupy, name).types:
        inputs, outputs = line.split("->")
        if "E" not in line and all(map(np.can_cast, given, inputs)):
            return tuple(map(np.dtype, outputs))
    return None


def our_types(function, given):
    try:
        found = function(*(cp.ones(2, dtype) for dtype in given))
    except TypeError:
        return None
    return tuple(array.dtype for array in (found if isinstance(found, tuple) else (found,)))


@pytest.mark.parametrize("name", sorted({f.name.removeprefix("cupy_") for f in UFUNCS.values()}))
def test_an_elementwise_function_gives_cupys_dtypes(name):
    function = UFUNCS[name]
    for given in itertools.product(DTYPES, repeat=function.nin):
        is_complex = any(dtype.kind == "c" for dtype in given)
        is_boolean = all(dtype.kind == "b" for dtype in given)
        ours, theirs = our_types(function, given), cupys_types(name, given)
        if (is_complex and name in COMPLEX_IN_CUPY_ONLY) or (
            is_boolean and name in BOOLEAN_IN_CUPY_ONLY | REFUSED_BOOLEANS
        ):
            assert ours is None and theirs is not None
        else:
            assert ours == theirs, given


def in_cupy(name):
    module, _, last = name.rpartition(".")
    if module in ("RandomState", "Generator"):
        module = f"random.{module}"
    where = cupy
    for part in module.split(".") if module else ():
        where = getattr(where, part)
    return getattr(where, last)


@pytest.mark.parametrize(
    "entry",
    [e for e in table.entries() if not e.name.startswith(("ndarray.", "min_scalar_type"))],
    ids=lambda e: e.name,
)
def test_a_functions_signature_is_cupys(entry):
    theirs = [p for p in signature(in_cupy(entry.name)).parameters.values() if p.name != "self"]
    ours = list(entry.signature.parameters.values())
    assert [(p.name, p.kind) for p in ours] == [(p.name, p.kind) for p in theirs]
    for our, their in zip(ours, theirs, strict=True):
        same = our.default == their.default
        assert same or np.dtype(our.default) == np.dtype(their.default), our.name


@pytest.mark.parametrize("name", sorted(table.methods()))
def test_a_methods_signature_is_cupys(name):
    line = getattr(cupy.ndarray, name).__doc__.splitlines()[0]
    entry = table.methods()[name]
    theirs = line[line.index("(") + 1 : line.rindex(")")].replace("_ndarray_base ", "")
    theirs = theirs.replace("Py_ssize_t ", "").replace("int axis", "axis").split(", ")[1:]
    ours = [str(parameter) for parameter in entry.signature.parameters.values()]
    assert [o.replace(" ", "") for o in ours] == [
        t.replace("keepdims=None", "keepdims=False") for t in theirs
    ]


def instances():
    """What stands for the classes among the lists of names."""
    return {
        "cupy.ndarray": cp.ones((2, 2)),
        "cupy.random.Generator": cp.random.default_rng(0),
        "cupy.random.RandomState": cp.random.RandomState(0),
        "cupy.cuda.Stream": cp.cuda.Stream(),
        "cupy.cuda.Event": cp.cuda.Event(),
        "cupy.cuda.Device": cp.cuda.Device(),
        "cupy.cuda.MemoryPointer": cp.cuda.alloc(3),
        "cupy.cuda.MemoryPool": cp.cuda.MemoryPool(),
    }


@pytest.mark.parametrize("owner", list(read("cupy_names.toml")))
def test_each_of_cupys_names_is_there_or_refused_by_name(owner):
    ours = instances().get(owner)
    module, _, last = owner.rpartition(".")
    if ours is None:
        theirs = import_module(owner)
        ours = import_module("gpuedu.arrays." + owner.removeprefix("cupy."))
    else:
        theirs = getattr(import_module(module), last)
    names = {name for name in dir(theirs) if not name.startswith(("_", "cuda", "CUDA"))}
    assert names - cupy_names(owner) <= {"annotations", "contextlib", "warnings"}
    for name in cupy_names(owner):
        try:
            getattr(ours, name)
        except NotImplementedError as fault:
            assert f"{owner}.{name} is not in" in str(fault)
    with pytest.raises(AttributeError):
        _ = ours.no_such_name


def test_nothing_public_is_ours_alone():
    for module in ("cupy", "cupy.linalg", "cupy.fft", "cupy.random", "cupy.testing", "cupy.cuda"):
        ours = import_module("gpuedu.arrays." + module.removeprefix("cupy."))
        from_here = {
            name
            for name, value in vars(ours).items()
            if callable(value)
            and not name.startswith("_")
            and getattr(value, "__module__", "") == "gpuedu.arrays"
        }
        assert from_here <= cupy_names(module)


def test_aliases_are_cupys():
    for alias, name in read("lists.toml")["elementwise"]["aliases"].items():
        assert getattr(cupy, alias) is getattr(cupy, name) or cupys_types(
            alias, [np.dtype("f")] * UFUNCS[name].nin
        ) == cupys_types(name, [np.dtype("f")] * UFUNCS[name].nin)
