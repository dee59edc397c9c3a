"""The dtypes that device arrays have."""

from __future__ import annotations

import numpy as np

from gpuedu.arrays.errors import DeviceArrayValueError, NotInStandInError


def require_dtype(dtype: np.dtype) -> np.dtype:
    """Refuse dtypes that CuPy does not have.

    Raises:
        NotInStandInError: Records or bfloat16, which CuPy has.
        DeviceArrayValueError: Text, objects, dates or long doubles.
    """
    if dtype.names or dtype.name == "bfloat16":
        raise NotInStandInError(
            f"arrays of {dtype} are not in gpuedu's stand-in for CuPy; CuPy on a GPU has them",
            remedy="an array for each field" if dtype.names else "float16 or float32",
        )
    if dtype.char not in "?bhilqBHILQefdFD" or not dtype.isnative:
        raise DeviceArrayValueError(
            f"Unsupported dtype {dtype}",
            remedy="booleans, integers, floats of 2 to 8 bytes, complex64 and complex128",
        )
    return dtype
