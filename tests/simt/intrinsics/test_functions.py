from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.intrinsics.functions import FUNCTIONS


def test_names_lead_to_functions():
    assert FUNCTIONS["math.sqrt"](np.float64(4)) == 2
    assert FUNCTIONS["max"](np.int32(4), np.int32(5)) == 5
    assert FUNCTIONS["cuda.popc"](np.int32(7)) == 3
    assert FUNCTIONS["cuda.fma"](np.float32(2), np.float32(3), np.float32(1)) == 7
    assert FUNCTIONS["cuda.libdevice.byte_perm"](*[np.int32(0x3210)] * 3) == 0x3210
    assert FUNCTIONS["cuda.fp16.hfloor"](np.float16(1.5)) == 1


@pytest.mark.parametrize("name", sorted(n for n in FUNCTIONS if "libdevice" not in n))
def test_nothing_warns_about_hostile_operands(name):
    # Warnings are errors in this test suite.
    floats = [np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1.0], np.float32)] * 3
    wholes = [np.array([0, -1, 2**31 - 1, -(2**31), 7], np.int32)] * 3
    if name.startswith("cuda.fp16."):
        floats = [np.array([0.0, -0.0, np.inf, np.nan, 65504, -1.0], np.float16)] * 3
    for operands in (floats, wholes):
        if is_for(name, operands[0].dtype.kind):
            FUNCTIONS[name](*operands[: ARITY.get(name, 1)])


TWO = ["atan2", "copysign", "fmod", "hypot", "nextafter", "pow", "remainder", "ldexp"]
HALVES = ["hadd", "hsub", "hmul", "hdiv", "heq", "hne", "hge", "hgt", "hle", "hlt", "hmax", "hmin"]
ARITY = {
    **dict.fromkeys([f"math.{name}" for name in TWO], 2),
    **dict.fromkeys([f"cuda.fp16.{name}" for name in HALVES], 2),
    **dict.fromkeys(["divmod", "max", "min", "pow", "cmath.rect", "c.divide", "c.remainder"], 2),
    **dict.fromkeys(["cuda.fma", "cuda.fp16.hfma", "cuda.selp"], 3),
}
ONLY_INTEGERS = {"cuda.popc", "cuda.clz", "cuda.ffs", "cuda.brev", "c.divide", "c.remainder"}
ONLY_FLOATS = {"cuda.fma", "cuda.cbrt", "round"}


def is_for(name, kind):
    if kind == "f":
        return name not in ONLY_INTEGERS | {"math.ldexp"}
    return not (name in ONLY_FLOATS or name.startswith("cuda.fp16.") or name == "math.ldexp")
