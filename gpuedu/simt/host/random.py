"""``cuda.random``: states of the xoroshiro128+ generator, one for each thread.

A state is 128 bits, and every step of the generator is linear in them. The threads' states are
2**64 steps apart, as in Numba. Jumping there bit by bit would take a loop over threads; here the
jump is a table of images of bytes, and the row of states is doubled until it is long enough.

Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators" (2018), with the
constants (55, 14, 36) that Numba uses; the seed is spread by splitmix64 as in Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.simt.host.arrays import device_array
from gpuedu.simt.host.device_array import DeviceNDArray
from gpuedu.simt.host.stubs import random_draws

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
globals().update(random_draws())

_WORD = (1 << 64) - 1
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
_STATES = tuple[np.ndarray, np.ndarray]


def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> DeviceNDArray:
    """States of ``n`` generators in a device array.

    Args:
        n: How many.
        seed: Where the first starts.
        subsequence_start: By how many times 2**64 steps the first is ahead.
        stream: The stream of the copy.
    """
    states = device_array(n, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


def init_xoroshiro128p_states(
    states: DeviceNDArray, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> None:
    """Set the states in a 1-D device array of ``xoroshiro128p_dtype``."""
    host = np.empty(states.shape, xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(host, seed, subsequence_start)
    states.copy_to_device(host, stream=stream)


def init_xoroshiro128p_states_cpu(states: np.ndarray, seed: int, subsequence_start: int) -> None:
    """Set the states in a 1-D host array of ``xoroshiro128p_dtype``."""
    count = len(states)
    first = _first_state(int(seed) & _WORD)
    images = _images_of_jump()
    table = _byte_table(images)
    row = np.array([first[0]], np.uint64), np.array([first[1]], np.uint64)
    for bit in range(int(subsequence_start).bit_length()):
        if subsequence_start >> bit & 1:
            row = _apply(_byte_table(_power(images, bit)), row)
    while len(row[0]) < count:
        ahead = _apply(table, row)
        row = np.concatenate([row[0], ahead[0]]), np.concatenate([row[1], ahead[1]])
        images = _apply(table, images)
        table = _byte_table(images)
    states["s0"], states["s1"] = row[0][:count], row[1][:count]


def _first_state(seed: int) -> tuple[int, int]:
    """Both halves are one splitmix64 draw of the seed, as in Numba."""
    z = (seed + 0x9E3779B97F4A7C15) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    z ^= z >> 31
    return z, z


def _images_of_jump() -> _STATES:
    """Where 2**64 steps take each of the 128 bits: (128,) halves s0 and s1."""
    s0, s1 = _unit_states()
    t0, t1 = np.zeros_like(s0), np.zeros_like(s1)
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                t0, t1 = t0 ^ s0, t1 ^ s1
            s0, s1 = _step(s0, s1)
    return t0, t1


def _unit_states() -> _STATES:
    """The 128 states with one bit set each."""
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    none = np.zeros(64, np.uint64)
    return np.concatenate([bits, none]), np.concatenate([none, bits])


def _step(s0: np.ndarray, s1: np.ndarray) -> _STATES:
    s1 = s1 ^ s0
    return _rotate(s0, 55) ^ s1 ^ (s1 << np.uint64(14)), _rotate(s1, 36)


def _rotate(x: np.ndarray, by: int) -> np.ndarray:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


def _power(images: _STATES, doublings: int) -> _STATES:
    """The images after 2**doublings jumps."""
    for _ in range(doublings):
        images = _apply(_byte_table(images), images)
    return images


def _byte_table(images: _STATES) -> np.ndarray:
    """(16, 256, 2) uint64: the image of each value of each of a state's 16 bytes."""
    table = np.zeros((16, 256, 2), np.uint64)
    halves = np.stack(images, axis=-1).reshape(16, 8, 2)
    for bit in range(8):
        table[:, 1 << bit : 2 << bit] = table[:, : 1 << bit] ^ halves[:, bit, None]
    return table


def _apply(table: np.ndarray, states: _STATES) -> _STATES:
    found = np.zeros((len(states[0]), 2), np.uint64)
    for at in range(16):
        shift = np.uint64(8 * (at % 8))
        found ^= table[at, (states[at // 8] >> shift) & np.uint64(255)]
    return found[:, 0].copy(), found[:, 1].copy()
