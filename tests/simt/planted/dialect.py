"""Correct kernels that use the corners of the dialect: calls, closures, views, types, loops."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, float64, int8, int32, int64, uint8, uint32

from tests.simt.planted.table import floats, ints, plant, zeros

FACTOR = 3
OFFSETS = (1, 4, 9)
WEIGHTS = np.array([0.25, 0.5, 0.125], np.float32)
TABLE = np.arange(12, dtype=np.int16).reshape(3, 4)


def _signed(*shape):
    return ints(*shape, high=100) - 50


@cuda.jit(device=True)
def _scaled(x, factor=2, offset=0):
    return x * factor + offset


@cuda.jit(device=True)
def _twice_scaled(x, factor):
    return _scaled(_scaled(x, factor), offset=1)


@cuda.jit(device=True)
def _halves(x):
    return x // 2, x % 2


@cuda.jit(device=True)
def _first_above(values, limit):
    for k in range(values.size):
        if values[k] > limit:
            return k
    return -1


@cuda.jit(device=True)
def _put(values, k, value):
    values[k] = value


@cuda.jit(device=True)
def _clamped(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@plant(None, 2, 20, lambda: (_signed(40), zeros(40, dtype=np.int64)))
def device_functions_with_defaults_and_keywords(a, out):
    i = cuda.grid(1)
    low, high = _halves(a[i])
    out[i] = _scaled(a[i]) + _scaled(a[i], offset=7) - _twice_scaled(low, factor=5) + high


@plant(None, 2, 20, lambda: (floats(40), zeros(40, dtype=np.int64)))
def device_function_that_returns_from_its_loop(a, out):
    i = cuda.grid(1)
    out[i] = _first_above(a, a[i])


@plant(None, 2, 20, lambda: (floats(40), zeros(40)))
def device_functions_that_write(a, out):
    i = cuda.grid(1)
    if i % 3 != 1:
        _put(out, i, _clamped(a[i], 5, float32(20.5)))


def _make_kernel(power, scale):
    @plant(None, 1, 16, lambda: (floats(16), zeros(16)))
    def kernel_made_in_a_function(a, out):
        t = cuda.threadIdx.x
        value = scale(a[t])
        for _ in range(power):
            value *= 2
        out[t] = value + FACTOR

    return kernel_made_in_a_function


kernel_made_in_a_function = _make_kernel(3, _scaled)


@plant(None, 1, 12, lambda: (floats(12), zeros(12)))
def constants_of_the_module(a, out):
    t = cuda.threadIdx.x
    total = float32(0.0)
    for k in range(3):
        total += WEIGHTS[k] * a[(t + OFFSETS[k]) % 12]
    out[t] = total * FACTOR + TABLE[t // 4, t % 4]


@plant(None, 1, 12, lambda: (floats(12), zeros(12)))
def constant_memory(a, out):
    weights = cuda.const.array_like(WEIGHTS)
    t = cuda.threadIdx.x
    out[t] = weights[t % 3] * a[t]


@plant(None, (2, 2), (4, 3), lambda: (floats(6, 8), zeros(8, 6), zeros(6)))
def shapes_and_views(a, turned, out):
    x, y = cuda.grid(2)
    rows, columns = a.shape
    if y < rows and x < columns:
        turned.T[y, x] = a[y][x] + a[-1, x] + len(a) + a.ndim
        if x == 0:
            last = a[y, 2:]
            backwards = a[y, ::-1]
            out[y] = last[-1] + last[0] * backwards[1] + last.size + columns


@plant(None, 1, (4, 3, 2), lambda: (ints(2, 3, 4, high=90), zeros(2, 3, 4, dtype=np.int32)))
def three_dimensions_of_shared_memory(a, out):
    tile = cuda.shared.array((2, 3, 4), int32)
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    tile[z, y, x] = a[z, y, x]
    cuda.syncthreads()
    out[z, y, x] = tile[1 - z, 2 - y, 3 - x] + tile[z, -1, x]


@plant(None, 1, 16, lambda: (floats(16), zeros(16)))
def local_table_filled_by_slices(a, out):
    table = cuda.local.array((3, 4), float32)
    t = cuda.threadIdx.x
    table[:] = 1
    table[1, :] = a[t]
    row = table[2]
    row[1:3] = 7
    total = float32(0.0)
    for k in range(12):
        total += table[k // 4, k % 4] * k
    out[t] = total


@plant(
    None,
    1,
    20,
    lambda: (
        _signed(20) * 3.7,
        zeros(20, dtype=np.int8),
        zeros(20, dtype=np.uint8),
        zeros(20, dtype=np.int32),
        zeros(20, dtype=np.bool_),
        zeros(20, dtype=np.float16),
    ),
)
def stores_convert(a, small, byte, whole, flag, half):
    t = cuda.threadIdx.x
    small[t] = int64(a[t]) * 5
    byte[t] = int64(a[t]) + 300
    whole[t] = a[t]
    flag[t] = int64(a[t]) % 3
    half[t] = a[t] / 3


@plant(None, 1, 20, lambda: (_signed(20).astype(np.int8), np.uint8(200), zeros(20, dtype=np.int64)))
def narrow_integers(a, scalar, out):
    t = cuda.threadIdx.x
    wide = a[t] * a[t] * a[t]
    narrow = int8(wide)
    byte = uint8(a[t]) + scalar
    word = uint32(a[t]) - uint32(7)
    out[t] = wide + narrow * 1000 + byte + (word >> 3) - (~narrow)


@plant(None, 1, 20, lambda: (_signed(20), _signed(20)[::-1].copy(), zeros(20, 6, dtype=np.int64)))
def floor_division_and_remainder(a, b, out):
    t = cuda.threadIdx.x
    d = b[t] if b[t] != 0 else int32(-3)
    out[t, 0] = a[t] // d
    out[t, 1] = a[t] % d
    out[t, 2] = -a[t] // 7
    out[t, 3] = -a[t] % -7
    q, r = divmod(a[t], d)
    out[t, 4] = q * 100 + r
    out[t, 5] = (a[t] >> 2) + (a[t] << 3)


@plant(None, 1, 20, lambda: (_signed(20) * 0.75, zeros(20, 4, dtype=np.float64)))
def division_of_floats(a, out):
    t = cuda.threadIdx.x
    out[t, 0] = a[t] // 2.5
    out[t, 1] = a[t] % 2.5
    out[t, 2] = a[t] % -2.5
    out[t, 3] = 7 // (a[t] + 0.125)


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def loops_with_else(a, out):
    t = cuda.threadIdx.x
    total = 0
    for k in range(5):
        if a[(t + k) % 16] > 30:
            break
        total += k
    else:
        total += 100
    n = abs(a[t]) % 7
    while n > 0:
        n -= 2
        if n == 3:
            break
    else:
        total += 1000
    out[t] = total * 10 + k


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def nested_loops_with_jumps(a, out):
    t = cuda.threadIdx.x
    total = 0
    for row in range(t % 4 + 1):
        for column in range(-2, 8, 3):
            if column == a[row] % 5:
                continue
            if total > 40:
                break
            total += row * column + 1
        else:
            total += 7
        if total < -5:
            return
    out[t] = total


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def loop_variable_is_changed_and_outlives_its_loop(a, out):
    t = cuda.threadIdx.x
    total = 0
    for k in range(2, 9, 2):
        k += t
        total += k
    out[t] = total * 100 + k


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def ranges_that_count_down_or_are_empty(a, out):
    t = cuda.threadIdx.x
    total = 0
    for k in range(t % 5, -2, -1):
        total = total * 3 + k
    for k in range(5, t % 7):
        total -= k
    for _ in range(0):
        total += 1000
    out[t] = total


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def tuples_unpacked_and_swapped(a, out):
    t = cuda.threadIdx.x
    x, y = a[t], t
    x, y = y, x
    (p, q), r = (x, y + 1), 2
    first = second = p - q
    pair = (first, second * r)
    out[t] = pair[0] * 1000 + pair[1] + len(pair)


@plant(None, 1, 16, lambda: (_signed(16), floats(16), zeros(16)))
def a_name_that_changes_its_type(a, b, out):
    t = cuda.threadIdx.x
    x = t
    x = x * 0.5
    if a[t] > 0:
        x = a[t]
    y = True
    if t > 3:
        y = x > 2
    out[t] = x + (b[t] if y else 0)


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def conditions_of_every_kind(a, out):
    t = cuda.threadIdx.x
    n = 0
    if a[t]:
        n += 1
    if not a[t] * 0.5:
        n += 2
    if -10 < a[t] <= 10 != t:
        n += 4
    if (a[t] > 0 and (t > 5 or a[0] < 0)) or t == 2:
        n += 8
    n += 16 if a[t] % 2 else 32 if t > 7 else 64
    both = (a[t] > 0) & (t > 3)
    either = (a[t] > 0) | (t > 3)
    n += 128 * both + 256 * either + 512 * (both ^ either)
    out[t] = n + (a[t] and t) + (a[t] or 7)


@plant(None, 1, 16, lambda: (_signed(16), floats(16), zeros(16, 5, dtype=np.float64)))
def builtins_on_numbers(a, b, out):
    t = cuda.threadIdx.x
    out[t, 0] = min(a[t], t, 3) + max(b[t], a[t], 2.5)
    out[t, 1] = abs(a[t]) + abs(-b[t])
    out[t, 2] = int(b[t] * 0.3) + float(a[t]) + bool(a[t])
    out[t, 3] = round(b[t] * 0.3) + round(b[t] * 0.37, 1)
    out[t, 4] = a[t] ** 2 + b[t] ** 3 + 2 ** (t % 5)


@plant(None, 1, 8, lambda: (floats(8), _signed(8), zeros(8, dtype=np.float64)))
def builtins_on_arrays(a, b, out):
    t = cuda.threadIdx.x
    total = 0.0
    for k, value in enumerate(a):
        if k > t:
            break
        total += value * k
    for x, y in zip(a, b):  # noqa: B905
        if y > 20:
            continue
        total -= x * y
    out[t] = total + a.sum() + sum(b) + min(b)


@plant(None, (2, 1, 2), (4, 2, 3), lambda: (zeros(96, 4, dtype=np.int64),))
def indices_of_three_dimensions(out):
    x, y, z = cuda.grid(3)
    width, height, depth = cuda.gridsize(3)
    i = x + width * (y + height * z)
    out[i, 0] = x * 100 + y * 10 + z
    out[i, 1] = cuda.blockIdx.z * cuda.gridDim.x + cuda.blockIdx.x
    out[i, 2] = cuda.blockDim.y * 10 + cuda.blockDim.z + depth * 100
    out[i, 3] = cuda.laneid + cuda.warpsize * 100


@plant(None, 1, 40, lambda: (_signed(40), zeros(40, 8, dtype=np.int64)))
def integer_intrinsics(a, out):
    t = cuda.threadIdx.x
    wide = int64(a[t]) * 123456789123
    out[t, 0] = cuda.popc(a[t])
    out[t, 1] = cuda.popc(wide)
    out[t, 2] = cuda.clz(a[t])
    out[t, 3] = cuda.clz(wide)
    out[t, 4] = cuda.ffs(a[t])
    out[t, 5] = cuda.brev(uint32(t + 5))
    out[t, 6] = cuda.selp(a[t] > 0, 3, 4)
    out[t, 7] = cuda.ffs(wide)


@plant(
    None, 1, 12, lambda: (_signed(12), np.tile(_signed(12), (9, 1)), zeros(9, 12, dtype=np.int32))
)
def atomics_give_the_old_value(a, cells, old):
    t = cuda.threadIdx.x
    old[0, t] = cuda.atomic.add(cells, (0, t), a[t])
    old[1, t] = cuda.atomic.sub(cells, (1, t), 5)
    old[2, t] = cuda.atomic.max(cells, (2, t), 10)
    old[3, t] = cuda.atomic.min(cells, (3, t), -10)
    old[4, t] = cuda.atomic.and_(cells, (4, t), 12)
    old[5, t] = cuda.atomic.or_(cells, (5, t), 3)
    old[6, t] = cuda.atomic.xor(cells, (6, t), 7)
    old[7, t] = cuda.atomic.exch(cells, (7, t), t)
    old[8, t] = cuda.atomic.cas(cells, (8, t), a[3], 1)


@plant(None, 2, 16, lambda: (zeros(4, dtype=np.uint32), zeros(4, dtype=np.float64)))
def atomics_that_wrap_around(counts, totals):
    i = cuda.grid(1)
    cuda.atomic.inc(counts, i % 2, 5)
    cuda.atomic.dec(counts, 2 + i % 2, 3)
    cuda.atomic.add(totals, i % 4, float64(i))


@plant(None, 1, 64, lambda: (floats(64), zeros(64, 4), zeros(64, 4, dtype=np.int64)))
def shuffles_of_every_kind(a, out, whole):
    t = cuda.threadIdx.x
    full = 0xFFFFFFFF
    out[t, 0] = cuda.shfl_sync(full, a[t], (t * 7) % 32)
    out[t, 1] = cuda.shfl_up_sync(full, a[t], 3)
    out[t, 2] = cuda.shfl_down_sync(full, a[t], 5)
    out[t, 3] = cuda.shfl_xor_sync(full, float64(a[t]), 9)
    whole[t, 0] = cuda.shfl_sync(full, t, 4)
    whole[t, 1] = cuda.shfl_up_sync(full, int64(t) << 40, 1)
    whole[t, 2] = cuda.ballot_sync(full, a[t] > 30)
    whole[t, 3] = cuda.match_any_sync(full, t % 5)


@plant(None, 1, 32, lambda: (_signed(32), zeros(32, 4, dtype=np.int32)))
def votes_of_every_kind(a, out):
    t = cuda.threadIdx.x
    full = 0xFFFFFFFF
    out[t, 0] = cuda.all_sync(full, a[t] > -60)
    out[t, 1] = cuda.any_sync(full, a[t] > 48)
    out[t, 2] = cuda.eq_sync(full, a[t] > 0)
    mask, same = cuda.match_all_sync(full, 3)
    out[t, 3] = mask if same else 5


@plant(None, 1, 16, lambda: (_signed(16), 5, 2.5, True, np.float32(0.1), zeros(16)))
def scalar_arguments(a, whole, real, flag, single, out):
    t = cuda.threadIdx.x
    value = a[t] * whole + real
    if flag:
        value += single
    out[t] = value


@plant(None, 1, 16, lambda: (floats(16, dtype=np.float16), zeros(16, 2, dtype=np.float16)))
def half_precision(a, out):
    t = cuda.threadIdx.x
    out[t, 0] = a[t] * a[15 - t] + a[t]
    out[t, 1] = a[t] / a[15 - t] - a[t]


@plant(None, 1, 4, lambda: (np.array(2.5), zeros(4), np.array(7, np.int64)))
def arrays_without_dimensions(a, out, n):
    t = cuda.threadIdx.x
    out[t] = a[()] * t + n[()]


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def matches(a, out):
    t = cuda.threadIdx.x
    match a[t] % 5:
        case 0:
            out[t] = 10
        case 1 | 2:
            out[t] = 20
        case k if k > 3:
            out[t] = 30 + k
        case _:
            out[t] = 40


@plant(None, 1, 16, lambda: (floats(16), zeros(16, dtype=np.int64)))
def asserts_and_membership(a, out):
    t = cuda.threadIdx.x
    assert a[t] > 0, "positive"
    out[t] = 1 if t in (2, 3, 5, 7) else 0
    if t not in (1, 2):
        out[t] += 2


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def statements_without_effect(a, out):
    """A docstring is no hazard."""
    t: int = cuda.threadIdx.x
    a[t]
    pass
    x: int64 = 5
    out[t] = x + t


@plant(None, 1, 16, lambda: (_signed(16), zeros(16, dtype=np.int64)))
def index_of_an_augmented_assignment_is_read_once(a, out):
    t = cuda.threadIdx.x
    out[(t + 3) % 16] += a[t]
    out[(t + 3) % 16] *= 2
    out[(t + 3) % 16] -= t


@plant(None, 1, 40, lambda: (floats(40), zeros(40)))
def shapes_that_python_computes(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(shape=(4 * 10 + 2, 2**1), dtype=float32)
    line = cuda.shared.array(128 + 6, float32)
    own = cuda.local.array((1 << 1, -(-7 // 2)), float32)
    tile[t, 1] = a[t]
    line[t + 94] = a[t]
    own[1, 3] = 2
    cuda.syncthreads()
    out[t] = tile[39 - t, 1] + line[133 - t] * own[1, 3]


@plant(None, 1, 40, lambda: (_signed(40), zeros(40, dtype=np.int64)))
def counts_along_a_range(a, out):
    t = cuda.threadIdx.x
    for k, o in enumerate(range(7), 2):
        out[t] += k * a[o]
    for k, (o, x) in enumerate(zip(range(9, 0, -4), a)):  # noqa: B905
        out[t] += k * o - x
