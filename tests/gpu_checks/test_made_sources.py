"""The made kernels inside CuPy's own text: the real compiler takes them there, too, without a GPU.

CuPy 14 writes a kernel's source by functions of its own that need no driver; where another release
has others, there is nothing to compare.
"""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError, check_cuda_c
from gpuedu.compilers.nvrtc_errors import CudaCError
from tests.gpu.made import MADE

HEADERS = ("complex.cuh", "carray.cuh", "atomics.cuh", "math_constants.h")
INCLUDES = "".join(f"#include <cupy/{name}>\n" for name in HEADERS) + "typedef int IndexT;\n"
ARRAY, INDEXER, SCALAR = 1, 2, 3  # CuPy's kinds of arguments


class Texts:
    """In place of ``cp``: arrays stay on the host, and a call notes what CuPy would compile."""

    float32 = np.float32

    def __init__(self) -> None:
        with warnings.catch_warnings(action="ignore"):
            self._cupy = importlib.import_module("cupy")
        self._kernel = importlib.import_module("cupy._core._kernel")
        self._reduction = importlib.import_module("cupy._core._reduction")
        self.written: list[tuple[str, tuple[str, ...]]] = []

    asarray, zeros = staticmethod(np.asarray), staticmethod(np.zeros)

    def ElementwiseKernel(self, *args, **kwargs):  # noqa: N802 - CuPy's name
        kernel = self._cupy.ElementwiseKernel(*args, **kwargs)

        def call(*values, size=None):
            infos, types = self._arguments(kernel, values)
            more = {name: text for name, text in kernel.kwargs.items() if name != "options"}
            text = self._kernel._get_elementwise_kernel_code(
                (*infos, self._info(INDEXER)), types, kernel.params,
                kernel.operation, kernel.name, kernel.preamble, **more,
            )  # fmt: skip
            self.written.append((text, kernel.kwargs.get("options", ())))
            return np.zeros(1)

        return call

    def ReductionKernel(self, *args, **kwargs):  # noqa: N802 - CuPy's name
        kernel = self._cupy.ReductionKernel(*args, **kwargs)
        read = self._kernel._get_param_info

        def call(*values, axis=None, keepdims=False):
            infos, types = self._arguments(kernel, values)
            parameters = (
                *(*kernel.in_params, *kernel.out_params),
                *read("CIndexer _in_ind, CIndexer _out_ind", False),
                *read("int32 _block_stride", True),
            )
            own = (self._info(INDEXER),) * 2 + (self._info(SCALAR, np.dtype(np.int32)),)
            text = self._reduction._ReductionKernel_get_cached_function_code(
                kernel.nin, kernel.nout, parameters, (*infos, *own), types, kernel.name, 512,
                kernel.reduce_type, kernel.identity, kernel.map_expr, kernel.reduce_expr,
                kernel.post_map_expr, kernel.preamble, kernel.options,
            )  # fmt: skip
            self.written.append((text, kernel.options))
            return np.zeros(1)

        return call

    def _arguments(self, kernel, values):
        """What CuPy notes of the arguments, and the types of the place-holders."""
        dtypes = [value.dtype if isinstance(value, np.ndarray) else None for value in values]
        inputs, outputs, types = self._kernel._decide_params_type(
            kernel.in_params,
            kernel.out_params,
            tuple(dtypes[: kernel.nin]),
            tuple(dtypes[kernel.nin :]),
        )
        kinds = [SCALAR if dtype is None else ARRAY for dtype in dtypes[: kernel.nin]]
        kinds += [ARRAY] * kernel.nout
        found = zip(kinds, (*inputs, *outputs), strict=True)
        return [self._info(kind, np.dtype(dtype)) for kind, dtype in found], types

    def _info(self, kind, dtype=None):
        classes = {ARRAY: self._cupy.ndarray, INDEXER: self._cupy._core._carray.Indexer,
                   SCALAR: self._cupy._core._scalar.CScalar}  # fmt: skip
        return self._kernel._ArgInfo(kind, classes[kind], dtype, int(kind != SCALAR), True, True)


@pytest.fixture(scope="module")
def texts():
    try:
        found = Texts()
        found.ElementwiseKernel("T x", "T y", "y = x")(np.zeros(1))
        check_cuda_c(INCLUDES)
    except (ImportError, AttributeError, TypeError, CompilerMissingError) as missing:
        pytest.skip(f"CuPy's texts cannot be had here ({missing})")
    return found


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_the_compiler_takes_the_kernel_in_cupys_text(made, texts):
    texts.written.clear()
    made.run(texts, *made.inputs())
    ((text, options),) = texts.written
    assert check_cuda_c(INCLUDES + text, options=options).kernels


def test_a_faulty_operation_is_refused_there_as_here(texts):
    texts.written.clear()
    texts.ElementwiseKernel("T x", "T y", "y = n")(np.zeros(1))
    with pytest.raises(CudaCError, match='identifier "n" is undefined'):
        check_cuda_c(INCLUDES + texts.written[0][0])


def test_a_thread_without_identity_begins_with_nothing_there(texts):
    """What the stand-in's docstring says of CuPy."""
    texts.written.clear()
    texts.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None)(np.zeros(1))
    assert "_type_reduce _s = _type_reduce();" in texts.written[0][0]
