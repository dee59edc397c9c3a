"""Kernels whose lanes part, vote, keep arrays of their own, or draw random numbers."""

from __future__ import annotations

import numpy as np

from gpuedu.backend import cuda
from tests.gpu.case import Case, Prediction, blank, floats, integers

BLOCK = 128
FULL_MASK = 0xFFFFFFFF
WEIGHTS = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
STATES = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
MERGED = "the compiler loads once, before the branch, what both branches load"
uniform = cuda.random.xoroshiro128p_uniform_float32


def odd_and_even(a, out):
    i = cuda.grid(1)
    if i < out.size:
        if i % 2 == 0:
            out[i] = a[i] + np.float32(1)
        else:
            out[i] = a[i] * a[i]


def odd_and_even_oracle(a, out):
    out[0::2] = a[0::2] + np.float32(1)
    out[1::2] = a[1::2] * a[1::2]


def warps_part_ways(a, out):
    i = cuda.grid(1)
    if (cuda.threadIdx.x // 32) % 2 == 0:
        out[i] = a[i] + np.float32(1)
    else:
        out[i] = a[2 * i]


def warps_part_ways_oracle(a, out):
    i = np.arange(out.size)
    out[:] = np.where(i // 32 % 2 == 0, a[i] + np.float32(1), a[2 * i])


def collatz(a, steps):
    i = cuda.grid(1)
    if i < a.size:
        number = a[i]
        count = 0
        while number > 1:
            if number % 2 == 0:  # noqa: SIM108 - a branch is what this kernel is for
                number = number // 2
            else:
                number = 3 * number + 1
            count += 1
        steps[i] = count


def collatz_oracle(a, steps):
    for i, number in enumerate(map(int, a)):
        while number > 1:
            number = number // 2 if number % 2 == 0 else 3 * number + 1
            steps[i] += 1


def sort_four(a, out):
    own = cuda.local.array(4, np.int32)
    i = cuda.grid(1)
    if 4 * i + 3 < a.size:
        for k in range(4):
            own[k] = a[4 * i + k]
        for last in range(3, 0, -1):
            for k in range(last):
                if own[k] > own[k + 1]:
                    own[k], own[k + 1] = own[k + 1], own[k]
        for k in range(4):
            out[4 * i + k] = own[k]


def sort_four_oracle(a, out):
    out[:] = np.sort(a.reshape(-1, 4), axis=1).reshape(-1)


def count_votes(a, out):
    i = cuda.grid(1)
    votes = cuda.ballot_sync(FULL_MASK, a[i] > 50)
    if cuda.laneid == 0:
        out[i // 32] = cuda.popc(votes)


def count_votes_oracle(a, out):
    out[:] = (a.reshape(-1, 32) > 50).sum(axis=1)


def weigh(a, out):
    weights = cuda.const.array_like(WEIGHTS)
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] * weights[i % 8]


def weigh_oracle(a, out):
    out[:] = a * np.resize(WEIGHTS, a.size)


def draw(states, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = uniform(states, i)


def draw_oracle(states, out):
    """One step of xoroshiro128+ with its constants 55, 14, 36; the upper 53 bits make the number."""
    s0, s1 = states["s0"].copy(), states["s1"].copy()
    number = ((s0 + s1) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    out[:] = number.astype(np.float32)[: out.size]
    s1 ^= s0
    first = _rotate(s0, 55) ^ s1 ^ (s1 << np.uint64(14))
    second = _rotate(s1, 36)
    states["s0"][: out.size], states["s1"][: out.size] = first[: out.size], second[: out.size]


def _rotate(words: np.ndarray, bits: int) -> np.ndarray:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def random_states(count: int) -> np.ndarray:
    """States of ``count`` generators; any bits that are not all zero will do."""
    states = np.empty(count, STATES)
    rng = np.random.default_rng(41)
    for name in STATES.names:
        states[name] = rng.integers(1, 2**64 - 1, count, dtype=np.uint64)
    return states


CASES = (
    Case(
        "odd and even lanes",
        odd_and_even,
        8,
        BLOCK,
        lambda: (floats(1000), blank(1000)),
        odd_and_even_oracle,
        predictions=(
            Prediction("global load requests", 32, MERGED),
            Prediction("global load sectors", 125, MERGED),
        ),
    ),
    Case(
        "branch by warps",
        warps_part_ways,
        4,
        BLOCK,
        lambda: (floats(8 * BLOCK), blank(4 * BLOCK)),
        warps_part_ways_oracle,
    ),
    Case(
        "loops of other length",
        collatz,
        2,
        BLOCK,
        lambda: (integers(200, high=1000, dtype=np.int64), blank(200, dtype=np.int32)),
        collatz_oracle,
    ),
    Case(
        "local array",
        sort_four,
        2,
        BLOCK,
        lambda: (integers(800, high=1000), blank(800, dtype=np.int32)),
        sort_four_oracle,
    ),
    Case(
        "votes",
        count_votes,
        4,
        BLOCK,
        lambda: (integers(4 * BLOCK, high=100), blank(16, dtype=np.int32)),
        count_votes_oracle,
    ),
    Case(
        "constant memory",
        weigh,
        8,
        BLOCK,
        lambda: (integers(1000, high=100), blank(1000, dtype=np.int32)),
        weigh_oracle,
    ),
    Case(
        "xoroshiro",
        draw,
        2,
        BLOCK,
        lambda: (random_states(200), blank(200)),
        draw_oracle,
    ),
)
