"""The same source text, compiled by g++ for the CPU and run thread by thread: the reference.

A kernel under test is a function of pointers only, and its threads do not meet. What CUDA adds to
C++ is given to g++ as macros and variables, so both compilers read the same text.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.trace import Trace

GXX = shutil.which("g++")
needs_gxx = pytest.mark.skipif(GXX is None, reason="no g++ here")
OPTIONS = ("-O0", "-fwrapv", "-ffp-contract=off", "-std=gnu++17", "-w", "-shared", "-fPIC")

_BEFORE = """
#include <cmath>
#include <cstdint>
#include <cstddef>
#include <utility>
#define __global__
#define __device__
#define __forceinline__ inline
struct Index3 { unsigned int x, y, z; };
static Index3 threadIdx, blockIdx, blockDim, gridDim;
#line 1
"""
_AFTER = """
template <class... A, std::size_t... I>
static void one_thread(void (*kernel)(A...), void **a, std::index_sequence<I...>) {
    kernel((A)a[I]...);
}
template <class... A>
static void all_threads(void (*kernel)(A...), unsigned n, void **a) {
    blockDim.x = n; gridDim.x = 1;
    for (threadIdx.x = 0; threadIdx.x < n; ++threadIdx.x)
        one_thread(kernel, a, std::index_sequence_for<A...>());
}
"""
_VECTORS = """
struct int2 { int x, y; }; struct int4 { int x, y, z, w; }; struct float3 { float x, y, z; };
struct uchar4 { unsigned char x, y, z, w; };
static int2 make_int2(int x, int y) { return {x, y}; }
static int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static uchar4 make_uchar4(int x, int y, int z, int w) {
    return {(unsigned char)x, (unsigned char)y, (unsigned char)z, (unsigned char)w};
}
static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }
"""


def _compiled(code: str, folder: str) -> ctypes.CDLL:
    source, library = Path(folder, "kernel.cpp"), Path(folder, "kernel.so")
    source.write_text(code)
    command = [str(GXX), *OPTIONS, str(source), "-o", str(library)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return ctypes.CDLL(str(library))


def _call(function: Callable[..., object], threads: int, arrays: Sequence[np.ndarray]) -> None:
    pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    function(ctypes.c_uint(threads), pointers)


def _entry(name: str, kernel: str) -> str:
    return f'extern "C" void {name}(unsigned n, void **a) {{ all_threads({kernel}, n, a); }}\n'


def run_by_host(code: str, threads: int, arrays: Sequence[np.ndarray]) -> None:
    """Run the kernel ``k`` of a source on the CPU; the arrays are changed in place."""
    with tempfile.TemporaryDirectory() as folder:
        library = _compiled(_BEFORE + code + _AFTER + _entry("launch", "k"), folder)
        _call(library.launch, threads, arrays)


def run_many_by_host(
    sources: dict[str, str], threads: int, arrays: dict[str, Sequence[np.ndarray]]
) -> None:
    """Run the kernel ``k`` of each source; they are compiled together, each in its namespace."""
    code = _BEFORE + _VECTORS + _AFTER
    for name, text in sources.items():
        plain = text.replace('extern "C" ', "").replace("#include <cstring>", "")
        code += f"namespace of_{name} {{\n{plain}\n}}\n" + _entry(name, f"of_{name}::k")
    with tempfile.TemporaryDirectory() as folder:
        library = _compiled("#include <cstring>\n" + code, folder)
        for name in sources:
            _call(getattr(library, name), threads, arrays[name])


def run_here(code: str, threads: int, arrays: Sequence[np.ndarray]) -> Trace:
    """Run the same kernel on the machine, as one block."""
    return simulate(CudaCKernel(code, "k"), 1, threads, *arrays)


def both(
    code: str, threads: int, arrays: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray], Trace]:
    """The arrays after a run here and after one by g++, and the trace of the run here."""
    here, there = [a.copy() for a in arrays], [a.copy() for a in arrays]
    trace = run_here(code, threads, here)
    run_by_host(code, threads, there)
    return here, there, trace
