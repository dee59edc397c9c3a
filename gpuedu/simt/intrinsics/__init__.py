"""The arithmetic of the SIMT machine: what one instruction does to all lanes at once.

Pure functions over NumPy arrays whose elements are lanes. They know nothing of kernels, masks of
divergence or traces, and they never warn: a division by zero has the result that a GPU gives it.

- ``functions``: the table of all functions of one lane's values, by the names kernels use.
- ``mathematics``: Python's ``math``, builtins and operators; ``special`` has erf and gamma.
- ``integers``, ``powers``, ``rounding``, ``extremes``: the operations in which compiled kernels
  differ from NumPy: division by zero, shifts, ``**``, conversions, ``round``, ``min`` and ``max``.
- ``bits``, ``fused``: counting and reversing bits; multiply-add with one rounding.
- ``half``, ``libdevice``: the functions of ``cuda.fp16`` and ``cuda.libdevice``.
- ``atomics``: read-modify-write over one memory array, lane after lane; ``serial``, ``runs`` and
  ``scans`` are how.
- ``warps``: shuffles, votes and matches among 32 lanes.
- ``random``: the xoroshiro128+ generator of ``numba.cuda.random``.
"""
