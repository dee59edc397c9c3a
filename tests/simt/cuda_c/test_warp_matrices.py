"""Warp matrix functions: products against NumPy, what they cost, and what is told about them."""

from __future__ import annotations

import re
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError, compile_cuda_c, nvrtc_options
from gpuedu.compilers.ptxas import find_ptxas
from gpuedu.errors import KernelSourceError
from gpuedu.simt import launch, simulate
from gpuedu.simt.arguments import prepare
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.cuda_c import compile as front_end
from gpuedu.trace import Space, Trace

HEAD = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
#define M_ %d
#define N_ %d
#define K_ %d
typedef %s real;
"""

PRODUCT = r"""
extern "C" __global__ void k(const half* a, const half* b, real* c, int K, int lda, int ldb,
                             int ldc) {
    int row = max(M_, 16) * blockIdx.y, column = max(N_, 16) * blockIdx.x;
    wmma::fragment<wmma::matrix_a, M_, N_, K_, half, wmma::A_major> fa;
    wmma::fragment<wmma::matrix_b, M_, N_, K_, half, wmma::B_major> fb;
    wmma::fragment<wmma::accumulator, M_, N_, K_, real> fc;
    const real* begin = c + (C_by_columns ? column * ldc + row : row * ldc + column);
    wmma::load_matrix_sync(fc, begin, ldc, wmma::mem_C_major);
    for (int k = 0; k < K; k += K_) {
        wmma::load_matrix_sync(fa, a + (A_by_columns ? k * lda + row : row * lda + k), lda);
        wmma::load_matrix_sync(fb, b + (B_by_columns ? column * ldb + k : k * ldb + column), ldb);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + (begin - c), fc, ldc, wmma::mem_C_major);
}
"""

THROUGH_SHARED = r"""
extern "C" __global__ void k(const half* a, const half* b, real* c) {
    __shared__ alignas(32) half sa[M_ * LDA], sb[K_ * LDB];
    __shared__ alignas(32) real sc[M_ * LDC];
    for (int i = threadIdx.x; i < M_ * K_; i += 32) sa[i / K_ * LDA + i % K_] = a[i];
    for (int i = threadIdx.x; i < K_ * N_; i += 32) sb[i / N_ * LDB + i % N_] = b[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M_, N_, K_, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M_, N_, K_, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, M_, N_, K_, real> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, LDA);
    wmma::load_matrix_sync(fb, sb, LDB);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sc, fc, LDC, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < M_ * N_; i += 32) c[i] = sc[i / N_ * LDC + i % N_];
}
"""

SHAPES = ((16, 16, 16), (32, 8, 16), (8, 32, 16))


def halves(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Values of many sizes, some of them subnormal in half."""
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 6, shape)).astype(np.float16)


def stored(matrix: np.ndarray, pad: int, *, by_columns: bool) -> tuple[np.ndarray, int]:
    """A matrix as memory with a gap behind each line, and its leading dimension."""
    lines = matrix.T if by_columns else matrix
    memory = np.full((lines.shape[0], lines.shape[1] + pad), np.nan, matrix.dtype)
    memory[:, : lines.shape[1]] = lines
    return memory, memory.shape[1]


def in_order(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The documented sum: in float32 by k, an accumulator of half rounded every 16."""
    made = c.astype(np.float32)
    for k in range(a.shape[1]):
        made = made + np.outer(a[:, k].astype(np.float32), b[k].astype(np.float32))
        if c.dtype == np.float16 and k % 16 == 15:
            made = made.astype(np.float16).astype(np.float32)
    return made


def run(code: str, *arguments: object, grid: object = 1, block: object = 32) -> Trace:
    return simulate(CudaCKernel(code, "k"), grid, block, *arguments)


def product_of(shape: tuple[int, ...], layouts: str, real: str) -> str:
    code = HEAD % (*shape, real) + PRODUCT
    for name, letter in zip("ABC", layouts, strict=True):
        word, flag = ("row", "false") if letter == "r" else ("col", "true")
        code = code.replace(f"{name}_major", f"{word}_major")
        code = code.replace(f"{name}_by_columns", flag)
    return code


@pytest.mark.parametrize("real", ["float", "half"])
@pytest.mark.parametrize("layouts", ["rrr", "crc", "rcc", "ccr"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
def test_a_product_is_numpys_in_every_shape_and_layout(shape, layouts, real):
    rng = np.random.default_rng(5)
    (m, n), depth = (3 * max(shape[0], 16), 2 * max(shape[1], 16)), 5 * shape[2]
    done = np.zeros((3, m // 3, 2, n // 2), bool)  # a tile of 8 columns begins at every 16th
    done[:, : shape[0], :, : shape[1]] = True
    done = done.reshape(m, n)
    dtype = np.float32 if real == "float" else np.float16
    a, b, c = halves(rng, m, depth), halves(rng, depth, n), halves(rng, m, n).astype(dtype)
    by_columns = [letter == "c" for letter in layouts]
    sides = [stored(x, 8, by_columns=flag) for x, flag in zip((a, b, c), by_columns, strict=True)]
    (ma, lda), (mb, ldb), (mc, ldc) = sides
    gaps = np.isnan(mc)
    numbers = [np.int32(i) for i in (depth, lda, ldb, ldc)]
    trace = run(product_of(shape, layouts, real), ma, mb, mc, *numbers, grid=(2, 3))
    assert trace.hazards == ()
    found = (mc.T if by_columns[2] else mc)[:m, :n]
    np.testing.assert_array_equal(found, np.where(done, in_order(a, b, c).astype(dtype), c))
    exact = a.astype(float) @ b.astype(float) + c
    size = np.abs(a).astype(float) @ np.abs(b).astype(float) + np.abs(c)
    unit = 2.0**-24 * (depth + 1) if real == "float" else 2.0**-11 * 6 + 2.0**-24 * depth
    close = np.abs(found - exact) <= unit * size + 6e-8 * (real == "half")
    assert close[done].all()
    assert np.isnan(mc[gaps]).all()


@pytest.mark.parametrize("real", ["float", "half"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
def test_matrices_may_pass_through_shared_memory(shape, real):
    rng = np.random.default_rng(6)
    m, n, depth = shape
    a, b = halves(rng, m, depth), halves(rng, depth, n)
    c = np.full((m, n), np.nan, np.float32 if real == "float" else np.float16)
    code = HEAD % (*shape, real)
    code += f"#define LDA {depth + 8}\n#define LDB {n + 8}\n#define LDC {n + 8}\n" + THROUGH_SHARED
    assert run(code, a, b, c).hazards == ()
    np.testing.assert_array_equal(c, in_order(a, b, np.zeros_like(c)).astype(c.dtype))


def test_many_warps_hold_many_fragments():
    """A block of 4 warps, 2x2 fragments each, behind aliases, templates, references and arrays."""
    code = r"""
#include <mma.h>
namespace w = nvcuda::wmma;
using namespace nvcuda::wmma;
template <typename Use, typename Layout>
__device__ int unused() { return 0; }
constexpr int T = 16;
typedef w::fragment<w::accumulator, 16, 16, 16, float> Sum;
template <typename Number>
__device__ void multiply(Sum& sum, const Number* a, const Number* b, int n) {
    nvcuda::wmma::fragment<matrix_a, T, T, T, Number, row_major> fa;
    fragment<matrix_b, T, T, T, Number, col_major> fb;
    load_matrix_sync(fa, a, n);
    load_matrix_sync(fb, b, n);
    mma_sync(sum, fa, fb, sum);
}
extern "C" __global__ void k(const half* a, const half* bt, float* c, int n) {
    int warp = threadIdx.x / 32, row = 64 * blockIdx.y + 32 * (warp / 2);
    int column = 64 * blockIdx.x + 32 * (warp % 2);
    Sum sums[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) w::fill_fragment(sums[i][j], 0);
    for (int k = 0; k < n; k += T)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                multiply<half>(sums[i][j], a + (row + T * i) * n + k,
                               bt + (column + T * j) * n + k, n);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            store_matrix_sync(&c[(row + T * i) * n + column + T * j], sums[i][j], n, mem_row_major);
}
"""
    n, rng = 128, np.random.default_rng(7)
    a, b, c = halves(rng, n, n), halves(rng, n, n), np.zeros((n, n), np.float32)
    trace = run(code, a, np.ascontiguousarray(b.T), c, np.int32(n), grid=(2, 2), block=128)
    assert trace.hazards == ()
    np.testing.assert_array_equal(c, in_order(a, b, np.zeros_like(c)))


def test_elements_are_worked_on_one_by_one():
    """``num_elements`` is that of mma.h: 16 for multiplicands of half, 8 for accumulators."""
    code = (
        HEAD % (16, 16, 16, "float")
        + r"""
extern "C" __global__ void k(const half* a, float* c, int* counts) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::fill_fragment(fc, 1.0f);
    for (int i = 0; i < fa.num_elements; i++)
        if (fa.x[i] < __float2half(0.0f)) fa.x[i] = __float2half(0.0f);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = 0.5f * fc.x[i] - i * 0;
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    counts[0] = fa.num_elements;
    counts[1] = fc.num_elements;
}
"""
    )
    rng = np.random.default_rng(8)
    a, c = halves(rng, 16, 16), np.zeros((16, 16), np.float32)
    counts = np.zeros(2, np.int32)
    trace = run(code, a, c, counts)
    positive = np.maximum(a, np.float16(0))
    expected = np.float32(0.5) * in_order(positive, a, np.ones_like(c))
    np.testing.assert_array_equal(c, expected)
    assert counts.tolist() == [16, 8]
    assert trace.hazards == ()


COPIED = r"""
extern "C" __global__ void k(const half* a, const half* b, float* c) {
    typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sums;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa, other;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    Sums before, after;
    wmma::fill_fragment(before, 0.0f);
    for (int k = 0; k < 48; k += 16) {
        wmma::load_matrix_sync(other, a + k, 48);
        wmma::load_matrix_sync(fb, b + k * 16, 16);
        fa = other;
        wmma::mma_sync(after, fa, fb, before);
        before = after;
    }
    Sums both[2], last = before;
    both[0] = both[1] = last;
    auto result = both[0];
    wmma::store_matrix_sync(c, result, 16, wmma::mem_row_major);
}
"""


def test_fragments_are_assigned():
    rng = np.random.default_rng(21)
    a, b, c = halves(rng, 16, 48), halves(rng, 48, 16), np.zeros((16, 16), np.float32)
    assert run(HEAD % (16, 16, 16, "float") + COPIED, a, b, c).hazards == ()
    np.testing.assert_array_equal(c, in_order(a, b, np.zeros_like(c)))


def test_a_fragment_that_was_never_filled_is_told_where_it_is_assigned():
    code = (HEAD % (16, 16, 16, "float") + COPIED).replace(
        "fill_fragment(before", "fill_fragment(after"
    )
    code = code.replace("    for (int k", "    before = last_sums;\n    for (int k")
    code = code.replace("Sums before, after;", "Sums before, after, last_sums;")
    rng = np.random.default_rng(22)
    c = np.zeros((16, 16), np.float32)
    trace = run(code, halves(rng, 16, 48), halves(rng, 48, 16), c)
    assert {found.kind for found in trace.hazards} == {"uninitialised-read"}
    line = next(at for at, text in enumerate(code.splitlines(), 1) if "= last_sums" in text)
    assert trace.hazards[0].place.line == line and trace.hazards[0].array == "last_sums"


def test_num_elements_and_sizes_by_the_names_of_types():
    code = r"""
#include <mma.h>
using namespace nvcuda;
constexpr int T = 8;
const int SIDE = 2 * T, COUNTS = 3;
const int WHOLE = T + T;
typedef wmma::fragment<wmma::accumulator, WHOLE, 16, WHOLE, float> Sums;
struct Pair { float of[T]; };
extern "C" __global__ void k(float* c) {
    Sums sums;
    Pair pair;
    for (int i = 0; i < T; i++) pair.of[i] = 2;
    for (int i = 0; i < Sums::num_elements; i++) sums.x[i] = 1.0f;
    for (int i = 0; i < decltype(sums)::num_elements; i++) sums.x[i] += pair.of[i];
    wmma::store_matrix_sync(c, sums, SIDE, wmma::mem_col_major);
}
"""
    c = np.zeros((16, 16), np.float32)
    assert run(code, c).hazards == ()
    assert (c == 3).all()


def test_a_negative_leading_dimension_is_a_huge_one():
    """It is an unsigned number."""
    code = (
        HEAD % (16, 16, 16, "float")
        + r"""
extern "C" __global__ void k(float* c) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 3.0f);
    wmma::store_matrix_sync(c + 240, sums, -16, wmma::mem_row_major);
}
"""
    )
    (found,) = run(code, np.zeros((16, 16), np.float32)).hazards
    assert found.kind == "out-of-bounds" and found.index == (2**32 - 16 + 240,)


def test_without_an_account_the_result_is_the_same():
    a, b = halves(np.random.default_rng(9), 2, 16, 16)
    counted, plain = np.ones((2, 16, 16), np.float32)
    numbers = [np.int32(16)] * 4
    code = product_of((16, 16, 16), "rcr", "float")
    run(code, a, b, counted, *numbers)
    arguments = prepare([a, b, plain, *numbers])
    assert (
        launch.run(CudaCKernel(code, "k"), (1,) * 3, (32, 1, 1), 0, arguments, trace=False) is None
    )
    np.testing.assert_array_equal(counted, plain)
    assert (plain != 1).any()


def test_without_cudas_header_the_machine_runs_them_all_the_same(monkeypatch):
    monkeypatch.setattr(nvrtc_options, "header_folders", lambda: ())
    a, c = halves(np.random.default_rng(9), 16, 16), np.zeros((16, 16), np.float32)
    code = product_of((16, 16, 16), "rrr", "float")
    run(code, a, a, c, *[np.int32(16)] * 4)
    assert c.any()
    with pytest.raises(CompilerMissingError, match="nvidia-cuda-nvcc"):
        compile_cuda_c(code)


# What they cost


def moved(trace: Trace, space: Space) -> dict[str, tuple[int, ...]]:
    """Requests, lanes and traffic (with the ideal) of each array's matrices."""
    return {
        site.array: tuple(
            int(column.sum())
            for column in (
                (site.requests, site.lanes, site.sectors, site.ideal_sectors)
                if space is Space.GLOBAL
                else (site.requests, site.lanes, site.wavefronts, site.ideal_wavefronts)
            )
        )
        for site in trace.sites
        if site.space is space and "matrix_sync" in site.text
    }


def test_the_account_of_one_tile_in_global_memory():
    """Half in words: 8 rows x 16 bytes a request are 8 half-used sectors; float in pairs."""
    code = product_of((16, 16, 16), "rrr", "float")
    a, b, c = np.zeros((16, 48), "f2"), np.zeros((48, 16), "f2"), np.zeros((16, 16), "f4")
    trace = run(code, a, b, c, *map(np.int32, (48, 48, 16, 16)))
    found = moved(trace, Space.GLOBAL)
    assert found["a"] == found["b"] == (12, 384, 96, 48)
    assert found["c"] == (4, 128, 32, 32)
    (work,) = (line.flop for line in trace.lines if line.flop)
    assert work == {"tensor float16": 2 * 16 * 16 * 48}
    sizes = {s.array: s.itemsize * int(s.lanes.sum()) for s in trace.sites if s.lanes.any()}
    assert sizes["a"] == a.nbytes and sizes["c"] == c.nbytes
    uses = {use.array: (use.read_bytes, use.written_bytes) for use in trace.arrays}
    assert uses == {"a": (a.nbytes, 0), "b": (b.nbytes, 0), "c": (c.nbytes, c.nbytes)}


@pytest.mark.parametrize(("pad", "wavefronts"), [(0, 8), (8, 4), (16, 16)])
def test_padding_keeps_the_rows_of_a_tile_out_of_each_others_banks(pad, wavefronts):
    """Rows of 32 bytes: the fifth lies on the banks of the first; of 64, the third; of 48, none."""
    code = HEAD % (16, 16, 16, "float")
    code += f"#define LDA {16 + pad}\n#define LDB 24\n#define LDC 24\n" + THROUGH_SHARED
    a, c = np.zeros((16, 16), "f2"), np.zeros((16, 16), "f4")
    found = moved(run(code, a, a, c), Space.SHARED)
    assert found["sa"] == (1, 32, wavefronts, 4)
    assert found["sc"][0] == 4


ONE_TILE = r"""
extern "C" __global__ void NAME(const half* a, const half* b, REAL* c) {
    __shared__ alignas(32) half s[1024];
    wmma::fragment<wmma::matrix_a, SHAPE, half, wmma::WORD_major> fa;
    wmma::fragment<wmma::matrix_b, SHAPE, half, wmma::WORD_major> fb;
    wmma::fragment<wmma::accumulator, SHAPE, REAL> fc;
    wmma::load_matrix_sync(fc, c, 32, wmma::mem_WORD_major);
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::load_matrix_sync(fa, s, 32);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 32, wmma::mem_WORD_major);
}
"""


def every_tile() -> tuple[str, list[str]]:
    """A kernel for each shape, accumulator and layout, and their names."""
    text, names = "#include <mma.h>\nusing namespace nvcuda;\n", []
    for shape, real, word in product(SHAPES, ("float", "half"), ("row", "col")):
        names.append(f"k{'x'.join(map(str, shape))}_{real}_{word}")
        code = ONE_TILE.replace("NAME", names[-1]).replace("REAL", real).replace("WORD", word)
        text += code.replace("SHAPE", ", ".join(map(str, shape)))
    return text, names


def machine_code(code: str, folder: Path) -> dict[str, list[str]]:
    """The instructions that the real compiler makes for compute capability 9.0, by kernel."""
    triton = pytest.importorskip("triton", reason="its wheel brings the disassembler")
    disassembler = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
    ptx, cubin = folder / "k.ptx", folder / "k.cubin"
    ptx.write_text(compile_cuda_c(code).ptx)
    subprocess.run([find_ptxas(), "-arch=sm_90", ptx, "-o", cubin], check=True)
    shown = subprocess.run([disassembler, cubin], check=True, capture_output=True, text=True)
    return {
        part.partition(",")[0]: re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@\S+ )?([A-Z0-9.]+)", part)
        for part in shown.stdout.split("\t.section\t.text.")[1:]
    }


def test_the_requests_are_the_compilers_loads_and_stores(tmp_path):
    code, names = every_tile()
    made = machine_code(code, tmp_path)
    for name in names:
        number = "f4" if "float" in name else "f2"
        memory = (*np.zeros((2, 1024), "f2"), np.zeros(1024, number))
        trace = simulate(CudaCKernel(code, name), 1, 32, *memory)
        found = {
            kind: sum(int(s.requests.sum()) for s in trace.sites if (s.space, s.operation) == where)
            for kind, where in (
                ("LDG", (Space.GLOBAL, "load")),
                ("STG", (Space.GLOBAL, "store")),
                ("LDSM", (Space.SHARED, "load")),
            )
        }
        assert found == {
            kind: sum(one.split(".")[0] == kind for one in made[name]) for kind in found
        }, name


# What is told


def refused(monkeypatch: pytest.MonkeyPatch, body: str, head: str = "") -> KernelSourceError:
    """What the front end says where the real compiler is not there to say it first."""
    monkeypatch.setattr(front_end, "require_valid", lambda kernel: None)
    front = head or HEAD % (16, 16, 16, "float")
    code = (
        front
        + r"""
extern "C" __global__ void k(const half* a, float* c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
"""
        + body
        + "\n}\n"
    )
    with pytest.raises(KernelSourceError) as caught:
        run(code, np.zeros((16, 16), "f2"), np.zeros((16, 16), "f4"), np.int32(16))
    assert caught.value.text.strip() in body
    return caught.value


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("wmma::load_matrix_sync(fa, a);", "lacks the leading dimension"),
        ("wmma::load_matrix_sync(fa, c, 16);", "`c` is `float*`: the fragment holds half"),
        ("wmma::load_matrix_sync(fa, a, 16, wmma::mem_row_major);", "has its own"),
        ("wmma::load_matrix_sync(fc, c, 16);", "an accumulator is loaded with its layout"),
        ("wmma::store_matrix_sync(c, fc, 16);", "and the layout, too"),
        ("wmma::store_matrix_sync(c, fa, 16, wmma::mem_row_major);", "`fa` is a matrix_a"),
        ("wmma::store_matrix_sync(a, fc, 16, wmma::mem_row_major);", "`a` is `const half*`"),
        ("wmma::mma_sync(fc, fb, fa, fc);", "`fb` is a matrix_b, where a matrix_a is needed"),
        ("wmma::mma_sync(fc, fa, fb);", "got 3 arguments"),
        ("wmma::mma_sync(fc, fa, fb, fc, true);", "saturating form"),
        ("wmma::mma_sync(fc, a, fb, fc);", "`a` is `const half*`, where a fragment is needed"),
        ("wmma::fill_fragment(fc);", "a fragment and a value"),
        ("wmma::fill_fragment(n, 0.0f);", "`n` is `int`, where a fragment is needed"),
        ("fa = fb;", "cannot become a `wmma::fragment<wmma::matrix_a"),
        ("half own[256]; wmma::load_matrix_sync(fa, own, 16);", "an array of one thread"),
        (
            "wmma::store_matrix_sync(c, fc, 16, n ? wmma::mem_row_major : wmma::mem_col_major);",
            "the layout must be known",
        ),
        (
            "wmma::fragment<wmma::accumulator, 32, 8, 16, float> fd; wmma::mma_sync(fd, fa, fb, fc);",
            "fragments of 16x16x16 and 32x8x16 in one product",
        ),
        ("wmma::fragment<wmma::matrix_a, 16, 16, 32, half, wmma::row_major> f;", "of 16x16x32"),
        ("wmma::fragment<wmma::matrix_a, 16, 16, 16, half> f;", "needs `wmma::row_major`"),
        ("wmma::fragment<wmma::matrix_a, 16, 16, 16, float, wmma::row_major> f;", "holds half"),
        ("wmma::fragment<wmma::accumulator, 16, 16, 16, int> f;", "holds half or float"),
        ("wmma::fragment<wmma::accumulator, 16, 16, 16, float, wmma::row_major> f;", "no layout"),
        ("wmma::fragment<wmma::matrix_c, 16, 16, 16, half, wmma::row_major> f;", "is not a use"),
        ("wmma::fragment<wmma::matrix_a, 16> f;", "has a use, M, N, K"),
        (
            "wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> f;",
            "of 16x16x8: half has 16x16x16",
        ),
        (
            "wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> f;",
            "a fragment of `__nv_bfloat16` is not covered here, half is",
        ),
    ],
    ids=lambda part: part[:50],
)
def test_what_is_wrong_or_not_covered_is_refused_by_line(body, words, monkeypatch):
    assert words in str(refused(monkeypatch, body))


def test_without_its_header_there_are_no_warp_matrices(monkeypatch):
    error = refused(monkeypatch, "wmma::fill_fragment(fc, 0.0f);", "#include <cuda_fp16.h>\n")
    assert "needs its header" in str(error) and "#include <mma.h>" in str(error)
