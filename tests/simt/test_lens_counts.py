"""Counts of the lens worked out by hand, for the access patterns that the course explains.

A sector is 32 bytes, a warp 32 lanes, shared memory 32 banks of 4 bytes; arrays begin at a whole
sector. Each number below is a literal with its arithmetic.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import complex64, complex128, float32, float64, int32

from gpuedu.lens import Lens, lens
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from gpuedu.trace import Operation, Space


def counted(kernel, grid, block, *arguments, **options) -> Lens:
    trace = simulate(kernel, grid, block, *arguments, **options)
    assert trace.hazards == ()
    return lens(trace)


def site(report: Lens, array: str, operation: Operation = Operation.LOAD):
    """The one access of this kind to an array, summed over warps."""
    (found,) = (s for s in report.sites_of(array) if s.site.operation is operation)
    return found.counts


def floats(size: int, dtype: type = np.float32) -> np.ndarray:
    return np.ones(size, dtype)


# Global memory: strides


def strided(a, out, stride, offset):
    i = cuda.grid(1)
    out[i] = a[i * stride + offset]


@pytest.mark.parametrize(
    "stride, sectors",
    [
        (0, 1),  # broadcast: all lanes in one sector
        (1, 4),  # 32 lanes * 4 B = 128 B = 4 sectors
        (2, 8),  # a span of 256 B, every second word: all of its 8 sectors
        (4, 16),  # 512 B = 16 sectors
        (8, 32),  # 32 B apart: each lane has a sector of its own
        (32, 32),  # more than one sector apart: it cannot get worse
    ],
)
def test_sectors_of_strides(stride, sectors):
    report = counted(strided, 1, 32, floats(32 * 32), floats(32), stride, 0)
    loads = site(report, "a")
    assert (loads.requests, loads.sectors, loads.ideal_sectors) == (1, sectors, 4)
    assert loads.global_bytes == 128  # 32 lanes * 4 B
    stores = site(report, "out", Operation.STORE)
    assert (stores.requests, stores.sectors, stores.ideal_sectors) == (1, 4, 4)
    assert report.totals.sectors == sectors + 4


@pytest.mark.parametrize(
    "offset, sectors",
    [
        (1, 5),  # bytes 4..131: sectors 0 to 4
        (7, 5),  # bytes 28..155: sectors 0 to 4
        (8, 4),  # bytes 32..159: sectors 1 to 4
    ],
)
def test_sectors_of_offsets(offset, sectors):
    report = counted(strided, 1, 32, floats(64), floats(32), 1, offset)
    assert site(report, "a").sectors == sectors


def test_a_slice_given_as_argument_keeps_its_offset():
    a = floats(64)
    report = counted(strided, 1, 32, a[3:], floats(32), 1, 0)
    assert site(report, "a").sectors == 5  # bytes 12..139: sectors 0 to 4


def test_efficiency_and_bytes_of_stride_two():
    report = counted(strided, 4, 64, floats(512), floats(256), 2, 0)
    loads = site(report, "a")
    assert loads.requests == 8  # 4 blocks of 2 warps
    assert (loads.sectors, loads.ideal_sectors, loads.excess_sectors) == (64, 32, 32)
    assert loads.sectors_ratio == 2.0
    assert report.efficiency == 64 / 96  # ideal 32 + 32, requested 64 + 32
    assert report.read_bytes == 2048  # 512 floats: every sector of the 2 KiB is touched
    assert report.written_bytes == 1024  # 256 floats


def test_sectors_that_warps_share_are_read_once_from_memory():
    report = counted(strided, 8, 32, floats(64), floats(256), 0, 5)
    assert site(report, "a").sectors == 8  # one for each of 8 warps
    assert report.read_bytes == 32  # but one sector of memory


# Global memory: widths


@pytest.mark.parametrize(
    "dtype, sectors",
    [
        (np.int8, 1),  # 32 * 1 B = 32 B
        (np.float16, 2),  # 64 B
        (np.float32, 4),  # 128 B
        (np.float64, 8),  # 256 B
        (np.complex64, 8),
        (np.complex128, 16),  # 512 B
    ],
)
def test_sectors_of_wide_elements(dtype, sectors):
    def copy(a, out):
        i = cuda.grid(1)
        out[i] = a[i]

    report = counted(copy, 1, 32, floats(32, dtype), floats(32, dtype))
    loads = site(report, "a")
    assert (loads.requests, loads.sectors, loads.ideal_sectors) == (1, sectors, sectors)


def test_an_array_of_structs_loads_sectors_of_fields_that_nobody_reads():
    point = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32), ("w", np.float32)])

    def read_x(points, out):
        i = cuda.grid(1)
        out[i] = points[i].x

    report = counted(read_x, 1, 32, np.zeros(32, point), floats(32))
    loads = site(report, "points")
    assert loads.sectors == 16  # 32 records * 16 B = 512 B, x in each of its 16 sectors
    assert loads.ideal_sectors == 4  # 32 * 4 B
    assert report.read_bytes == 512


def test_real_parts_are_every_second_word():
    def real_parts(z, out):
        i = cuda.grid(1)
        out[i] = z.real[i]

    report = counted(real_parts, 1, 32, floats(32, np.complex64), floats(32))
    loads = site(report, "z")
    assert (loads.sectors, loads.ideal_sectors) == (8, 4)  # 256 B touched, 128 B wanted


# Global memory: transposes


def transpose(a, out):
    x, y = cuda.grid(2)
    out[x, y] = a[y, x]


def test_a_plain_transpose_stores_a_sector_a_lane():
    a, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    report = counted(transpose, (2, 8), (32, 8), a, out)
    loads, stores = site(report, "a"), site(report, "out", Operation.STORE)
    assert loads.requests == stores.requests == 128  # 64 * 64 elements / 32
    assert (loads.sectors, stores.sectors) == (512, 4096)  # 128 * 4 and 128 * 32
    assert report.totals.sectors_ratio == 4.5  # (4 + 32) / (4 + 4)
    assert report.read_bytes == report.written_bytes == 16384  # 64 * 64 * 4 B


def tile_unpadded(a, out):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


def tile_padded(a, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


@pytest.mark.parametrize(
    "kernel, wavefronts",
    [
        (tile_unpadded, 1024),  # a column: 32 words in bank y, 32 passes for each of 32 warps
        (tile_padded, 32),  # 33 words apart: 32 different banks, 1 pass for each of 32 warps
    ],
)
def test_wavefronts_of_a_tiled_transpose(kernel, wavefronts):
    a, out = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    report = counted(kernel, 1, (32, 32), a, out)
    loads, stores = site(report, "tile"), site(report, "tile", Operation.STORE)
    assert (loads.requests, loads.wavefronts, loads.ideal_wavefronts) == (32, wavefronts, 32)
    assert (stores.requests, stores.wavefronts, stores.ideal_wavefronts) == (32, 32, 32)
    assert loads.conflicts == wavefronts - 32
    assert site(report, "out", Operation.STORE).sectors == 128  # 32 warps * 4


def test_of_a_tile_of_16_two_rows_share_a_warp():
    def tile_16(a, out):
        tile = cuda.shared.array((16, 16), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        tile[y, x] = a[y, x]
        cuda.syncthreads()
        out[y, x] = tile[x, y]

    a, out = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    report = counted(tile_16, 1, (16, 16), a, out)
    # A warp is two rows: words 16 x + y for x < 16 and two y. Banks are 16 (x mod 2) + y: four
    # banks, each with 8 different words.
    assert site(report, "tile").wavefronts == 64  # 8 warps * 8 passes
    assert site(report, "a").sectors == 32  # 8 warps * 2 rows of 64 B = 2 sectors each


# Shared memory: strides and widths


def shared_stride(out, stride):
    s = cuda.shared.array(1024, int32)
    t = cuda.threadIdx.x
    for k in range(t, 1024, 32):
        s[k] = k
    cuda.syncthreads()
    out[t] = s[t * stride]


@pytest.mark.parametrize(
    "stride, wavefronts",
    [
        (0, 1),  # one word for all: a broadcast
        (1, 1),  # 32 banks
        (2, 2),  # 16 banks of 2 words
        (3, 1),  # odd strides meet all banks
        (4, 4),  # 8 banks of 4 words
        (8, 8),
        (31, 1),
        (32, 32),  # one bank of 32 words; 31 * 32 = 992 < 1024
    ],
)
def test_wavefronts_of_strides(stride, wavefronts):
    report = counted(shared_stride, 1, 32, np.zeros(32, np.int32), stride)
    loads = site(report, "s")
    assert (loads.requests, loads.wavefronts, loads.ideal_wavefronts) == (1, wavefronts, 1)
    stores = site(report, "s", Operation.STORE)
    assert (stores.requests, stores.wavefronts) == (32, 32)  # 1024 / 32 turns, no conflict


@pytest.mark.parametrize(
    "dtype, wide, wavefronts",
    [
        (np.float64, float64, 2),  # 8 B: two half warps of 128 B
        (np.complex64, complex64, 2),
        (np.complex128, complex128, 4),  # 16 B: four quarter warps of 128 B
    ],
)
def test_wide_elements_go_by_parts_of_the_warp(dtype, wide, wavefronts):
    def through(a, out):
        s = cuda.shared.array(32, wide)
        t = cuda.threadIdx.x
        s[t] = a[t]
        cuda.syncthreads()
        out[t] = s[31 - t]

    report = counted(through, 1, 32, floats(32, dtype), floats(32, dtype))
    for operation in (Operation.LOAD, Operation.STORE):
        found = site(report, "s", operation)
        assert (found.wavefronts, found.ideal_wavefronts) == (wavefronts, wavefronts)


def test_doubles_at_stride_two_conflict():
    def stride_two(out):
        s = cuda.shared.array(64, float64)
        t = cuda.threadIdx.x
        s[t] = t
        s[t + 32] = t
        cuda.syncthreads()
        out[t] = s[2 * t]

    report = counted(stride_two, 1, 32, floats(32, np.float64))
    loads = site(report, "s")
    # A half warp reads 16 doubles 16 B apart: 8 pairs of banks, two doubles in each: 2 passes.
    assert (loads.wavefronts, loads.ideal_wavefronts) == (4, 2)


def test_a_second_shared_array_begins_at_its_own_bank():
    def offset_by_one(out):
        first = cuda.shared.array(1, float32)
        second = cuda.shared.array(32, float32)
        t = cuda.threadIdx.x
        if t == 0:
            first[0] = 1
        second[t] = t
        cuda.syncthreads()
        out[t] = second[t] + first[0]

    report = counted(offset_by_one, 1, 32, floats(32))
    assert site(report, "second").wavefronts == 1  # banks 1..31 and 0: still 32 different ones
    assert site(report, "first").wavefronts == 1  # a broadcast
    assert site(report, "first", Operation.STORE).ideal_wavefronts == 1


# Divergence


def test_every_second_lane():
    def every_second(a, out):
        i = cuda.grid(1)
        if i % 2 == 0:
            out[i] = a[i]

    report = counted(every_second, 2, 64, floats(128), floats(128))
    assert (report.branch_executions, report.divergent) == (4, 4)  # 4 warps, all part
    loads = site(report, "a")
    assert loads.requests == 4
    assert loads.sectors == 16  # 4 warps * 4: every sector has an even lane
    assert loads.ideal_sectors == 8  # 16 lanes * 4 B = 64 B = 2 sectors
    assert loads.global_bytes == 256  # 64 lanes * 4 B
    line = report.line(loads_line(report, "a"))
    assert (line.counts.executions, line.counts.lanes) == (4, 64)
    assert line.counts.mean_lanes == 16


def loads_line(report: Lens, array: str) -> int:
    return report.sites_of(array)[0].site.place.line


def test_the_first_eight_lanes():
    def first_eight(a, out):
        t = cuda.threadIdx.x
        if t % 32 < 8:
            out[cuda.grid(1)] = a[cuda.grid(1)]

    report = counted(first_eight, 1, 64, floats(64), floats(64))
    loads = site(report, "a")
    assert (loads.requests, loads.sectors, loads.ideal_sectors) == (2, 2, 2)  # 8 * 4 B = 32 B
    assert report.divergence == 1.0


def test_branches_by_warp_do_not_diverge():
    def by_warp(a, out):
        i = cuda.grid(1)
        if i // 32 % 2 == 0:
            out[i] = a[i]
        else:
            out[i] = -a[i]

    report = counted(by_warp, 1, 128, floats(128), floats(128))
    assert (report.branch_executions, report.divergent) == (4, 0)
    requests = [s.site.requests.tolist() for s in report.sites_of("a")]
    assert requests == [[1, 0, 1, 0], [0, 1, 0, 1]]


def test_loops_of_different_length():
    def triangle(out):
        i = cuda.grid(1)
        s = 0.0
        for _ in range(i % 4):
            s += 1.5
        out[i] = s

    report = counted(triangle, 1, 32, floats(32, np.float64))
    body = report.line(loads_line(report, "out") - 1)
    # Turn k runs lanes with i % 4 > k: 24, 16, 8 lanes.
    assert (body.counts.executions, body.counts.lanes) == (3, 48)
    assert body.flop == {"float64": 48}
    # The test is made 4 times; lanes part in each but the last, where the 8 left all end.
    assert (report.branch_executions, report.divergent) == (4, 3)


def test_a_while_loop_that_lanes_leave_early():
    def count_down(a, out):
        i = cuda.grid(1)
        n = i
        while n > 0:
            n -= 16
            out[i] += 1

    report = counted(count_down, 1, 32, floats(32), floats(32))
    # i = 0 makes no turn, 1..16 one, 17..31 two. Tests: 32, 31 and 15 lanes; the third lets all go.
    stores = site(report, "out", Operation.STORE)
    assert (stores.requests, stores.global_bytes) == (2, 4 * (31 + 15))
    assert (report.branch_executions, report.divergent) == (3, 2)


def test_lanes_that_returned_are_idle():
    def leave(out):
        i = cuda.grid(1)
        if i >= 40:
            return
        out[i] = 1

    report = counted(leave, 1, 64, floats(64))
    stores = report.sites_of("out")[0].site
    assert stores.requests.tolist() == [1, 1]
    assert stores.lanes.tolist() == [32, 8]
    assert (report.branch_executions, report.divergent) == (2, 1)


# Partial warps


def test_a_block_of_forty():
    def copy(a, out):
        i = cuda.grid(1)
        out[i] = a[i]

    report = counted(copy, 3, 40, floats(120), floats(120))
    loads = report.sites_of("a")[0].site
    assert loads.requests.tolist() == [1, 1] * 3
    assert loads.lanes.tolist() == [32, 8] * 3
    # Blocks begin at bytes 0, 160, 320, all whole sectors: 4 sectors, then 8 * 4 B = 1.
    assert loads.sectors.tolist() == [4, 1] * 3
    assert loads.ideal_sectors.tolist() == [4, 1] * 3
    assert report.divergent == 0


def test_a_partial_warp_is_not_divergent_by_its_missing_lanes():
    def guard(a, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = a[i]

    report = counted(guard, 1, 40, floats(40), floats(40))
    assert (report.branch_executions, report.divergent) == (2, 0)


def test_a_block_of_two_dimensions_fills_warps_along_x_first():
    def rows(a, out):
        x, y = cuda.grid(2)
        out[y, x] = a[y, x]

    a, out = np.ones((4, 20), np.float32), np.zeros((4, 20), np.float32)
    report = counted(rows, 1, (20, 4), a, out)
    loads = report.sites_of("a")[0].site
    # 80 threads: warps of 32, 32, 16 lanes, the whole array in order: 4, 4, 2 sectors.
    assert loads.lanes.tolist() == [32, 32, 16]
    assert loads.sectors.tolist() == [4, 4, 2]


# Atomics


@pytest.mark.parametrize(
    "bins, meeting, sectors",
    [
        (1, 64, 2),  # 2 warps, 32 lanes on one address each; one sector each
        (4, 16, 2),  # 8 lanes of a warp on each of 4
        (32, 2, 8),  # one lane each; 128 B = 4 sectors
    ],
)
def test_atomics_that_meet(bins, meeting, sectors):
    def histogram(out, bins):
        i = cuda.grid(1)
        cuda.atomic.add(out, i % bins, 1)

    out = np.zeros(32, np.int32)
    report = counted(histogram, 1, 64, out, bins)
    found = site(report, "out", Operation.ATOMIC)
    assert (found.atomic_requests, found.same_address_lanes, found.sectors) == (2, meeting, sectors)
    assert out[0] == 64 // bins
    assert report.read_bytes == report.written_bytes == 32 * -(-bins * 4 // 32)


def test_atomics_on_shared_memory():
    def histogram(a, out):
        bins = cuda.shared.array(8, int32)
        t = cuda.threadIdx.x
        if t < 8:
            bins[t] = 0
        cuda.syncthreads()
        cuda.atomic.add(bins, a[t], 1)
        cuda.syncthreads()
        if t < 8:
            cuda.atomic.add(out, t, bins[t])

    a = np.repeat(np.arange(8, dtype=np.int32), [1, 2, 3, 4, 5, 6, 7, 4])
    out = np.zeros(8, np.int32)
    report = counted(histogram, 1, 32, a, out)
    assert out.tolist() == [1, 2, 3, 4, 5, 6, 7, 4]
    found = site(report, "bins", Operation.ATOMIC)
    assert (found.shared_requests, found.same_address_lanes) == (1, 7)  # bin 6 is hit 7 times
    assert found.wavefronts == 1  # 8 words in 8 banks


# Work


def test_flop_of_lines_by_type():
    def work(a, b, out):
        i = cuda.grid(1)
        x = a[i] * b[i] + a[i]
        out[i] = x / float32(3) - x

    report = counted(work, 2, 40, floats(80), floats(80), floats(80))
    assert report.flop == {"float32": 4 * 80}  # * + / - for each of 80 threads
    # 3 loads and a store of 4 B, 2 blocks: warps of 32 and 8 lanes ask for 4 + 1 sectors.
    assert report.totals.sectors == 4 * 2 * 5
    assert report.intensity_l1 == 320 / (4 * 2 * 2 * 128)  # a pass for each warp's request
    assert report.intensity_memory == 320 / (3 * 320)  # three arrays of 80 * 4 B


def test_flop_of_a_loop_over_shared_memory():
    def dot(a, out):
        s = cuda.shared.array(32, float32)
        t = cuda.threadIdx.x
        s[t] = a[t]
        cuda.syncthreads()
        total = float32(0)
        for k in range(32):
            total += s[k] * s[k]
        out[t] = total

    report = counted(dot, 1, 32, floats(32), floats(32))
    assert report.flop == {"float32": 32 * 32 * 2}
    loads = [s.counts for s in report.sites_of("s") if s.site.operation is Operation.LOAD]
    assert [c.wavefronts for c in loads] == [32, 32]  # 32 broadcasts for each of the two loads
    assert [c.shared_bytes for c in loads] == [32 * 32 * 4] * 2


def test_local_arrays_have_requests_only():
    def registers(out):
        own = cuda.local.array(4, float32)
        i = cuda.grid(1)
        for k in range(4):
            own[k] = i
        out[i] = own[1] + own[3]

    report = counted(registers, 1, 32, floats(32))
    own = [s for s in report.sites_of("own") if s.site.space is Space.LOCAL]
    assert [int(s.site.requests.sum()) for s in own] == [4, 1, 1]
    assert sum(s.counts.sectors + s.counts.wavefronts for s in own) == 0
    assert report.trace.launch.local_bytes == 16


# Nothing of this depends on how many blocks run together


@pytest.mark.parametrize("threads", [64, 1 << 16])
@pytest.mark.parametrize("order", [None, "reversed"])
def test_counts_do_not_depend_on_the_chunk(monkeypatch, threads, order):
    monkeypatch.setattr("gpuedu.simt.launch.CHUNK_THREADS", threads)

    def mixed(a, out):
        s = cuda.shared.array(40, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        s[t] = a[i] * 2
        cuda.syncthreads()
        for k in range(cuda.blockIdx.x):
            if t % 3 == k:
                s[t] += 1
        cuda.syncthreads()
        out[39 - t + cuda.blockIdx.x * 40] = s[t]

    report = counted(mixed, 5, 40, floats(200), floats(200), order=order)
    assert site(report, "a").sectors == 5 * 5
    store = site(report, "out", Operation.STORE)
    assert store.sectors == 25  # block by block: bytes 32..159 = 4 sectors, then bytes 0..31 = 1
    # Of 40 threads 14 have t % 3 = 0, 13 have 1, 13 have 2: blocks 1..4 add 14, 27, 40, 40.
    assert report.flop == {"float64": 200 + 121}  # float32 with an integer is float64
    # Each turn is one condition for each of 2 warps: 1 + 2 + 3 + 4 turns; t % 3 == 3 never holds.
    conditions = [b for b in report.trace.branches if "%" in b.text]
    assert int(conditions[0].executions.sum()) == 20
    assert int(conditions[0].divergent.sum()) == 18  # all but the turn with k = 3
    assert [b.arrivals.tolist() for b in report.trace.barriers] == [[1] * 5] * 2
