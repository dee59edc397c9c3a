"""``cuda.reduce``: one value from a 1-D array by a function of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.host.arrays import auto_device, device_array
from gpuedu.simt.host.errors import CudaTypeError
from gpuedu.simt.host.kernels import Kernel
from gpuedu.simt.host.stubs import in_kernel_names

_THREADS = 256
_BLOCKS = 128
_names = in_kernel_names()
grid, gridsize, shared = _names["grid"], _names["gridsize"], _names["shared"]
threadIdx, blockIdx = _names["threadIdx"], _names["blockIdx"]  # noqa: N816
syncthreads = _names["syncthreads"]


class Reduce:
    """A reduction by ``functor(a, b)``, which must not depend on the order of its elements.

    Used as ``@cuda.reduce`` above the function, or called with it.
    """

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        function = getattr(functor, "py_func", functor)
        self._functor = Kernel(function, {"device": True})
        self._kernels: dict[np.dtype, Kernel] = {}

    def __call__(
        self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0
    ) -> Any:
        """Reduce the first ``size`` elements of ``arr``, and ``init``.

        Args:
            arr: A 1-D array of the host or the device.
            size: How many of its elements; all by default.
            res: A device array whose first element gets the result; then nothing is returned.
            init: What the reduction starts with.
            stream: The stream of the launches.

        Raises:
            CudaTypeError: ``arr`` has more than one dimension.
        """
        if arr.ndim != 1:
            raise CudaTypeError(
                f"only support 1D array, this one has shape {arr.shape}", remedy="arr.ravel()"
            )
        first = arr.dtype.type(init)
        values, _ = auto_device(arr if size is None else arr[:size], stream=stream)
        if values.size == 0:
            return first
        found = self._reduced(values, first)
        if res is None:
            return found.copy_to_host(stream=stream)[0]
        res[:1].copy_to_device(found, stream=stream)
        return None

    def _reduced(self, values: Any, first: np.generic) -> Any:
        """One element on the device: blocks reduce the values, one block what they leave."""
        kernel = self._kernel(values.dtype)
        blocks = min(_BLOCKS, -(-values.size // _THREADS))
        partial = device_array(blocks + 1, values.dtype)
        partial.device_view.as_numpy()[-1] = first
        kernel[blocks, _THREADS](values, partial)
        found = device_array(1, values.dtype)
        kernel[1, _THREADS](partial, found)
        return found

    def _kernel(self, dtype: np.dtype) -> Kernel:
        if dtype not in self._kernels:
            self._kernels[dtype] = _kernel(self._functor, dtype)
        return self._kernels[dtype]


def _kernel(combine: Kernel, dtype: np.dtype) -> Kernel:
    """A kernel that leaves one element for each of its blocks.

    Each thread folds every gridsize-th value, then the block folds halves onto halves in shared
    memory. There is no race: a barrier parts the writes of one step from the reads of the next.
    """

    def reduce_blocks(values, partial):
        block = shared.array(_THREADS, dtype)
        thread, first = threadIdx.x, grid(1)
        if first < values.size:
            total = values[first]
            for at in range(first + gridsize(1), values.size, gridsize(1)):
                total = combine(total, values[at])
            block[thread] = total
        syncthreads()
        filled = min(_THREADS, values.size - blockIdx.x * _THREADS)
        half = _THREADS // 2
        while half > 0:
            if thread < half and thread + half < filled:
                block[thread] = combine(block[thread], block[thread + half])
            syncthreads()
            half //= 2
        if thread == 0:
            partial[blockIdx.x] = block[0]

    return Kernel(reduce_blocks, {"device": False})
