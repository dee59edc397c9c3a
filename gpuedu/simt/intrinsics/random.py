"""The xoroshiro128+ generator of ``numba.cuda.random``, over arrays of states.

A state is two 64-bit words ``s0`` and ``s1``. The functions take the words of all lanes and return
the drawn values and the new words. Integers and uniform numbers are those of Numba bit for bit;
normal ones differ by the rounding of ``log`` and ``cos``.

Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators" (2018), with the
constants of the 2016 version that Numba uses, and SplitMix64 for the seed.
"""

from __future__ import annotations

import math

import numpy as np

STATE_DTYPE = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
"""A state as Numba lays it out in a device array."""

# The 128 states with a single bit, those of s0 first.
_SINGLE = np.uint64(1) << np.arange(64, dtype=np.uint64)
_BASIS = (np.append(_SINGLE, 0 * _SINGLE), np.append(0 * _SINGLE, _SINGLE))

Words = tuple[np.ndarray, np.ndarray]
Draw = tuple[np.ndarray, np.ndarray, np.ndarray]

_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
_U = np.uint64


@np.errstate(all="ignore")
def init_state(seed: int | np.ndarray) -> Words:
    """The first state of a seed (SplitMix64 of it, in both words)."""
    z = np.asarray(_wrap(seed)) + _U(0x9E3779B97F4A7C15)
    z = (z ^ (z >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> _U(27))) * _U(0x94D049BB133111EB)
    z = z ^ (z >> _U(31))
    return z, z.copy()


@np.errstate(all="ignore")
def next_uint64(s0: np.ndarray, s1: np.ndarray) -> Draw:
    """Draw 64 random bits: (uint64 values, new s0, new s1)."""
    value = s0 + s1
    mixed = s0 ^ s1
    # The rotation of s0 by 55 bits is a shift by 55 and one by 9. Few temporaries: they cost most.
    new0 = mixed << _U(14)
    new0 ^= mixed
    new0 ^= s0 << _U(55)
    new0 ^= s0 >> _U(9)
    new1 = mixed << _U(36)
    mixed >>= _U(28)
    new1 |= mixed
    return value, new0, new1


def jump(s0: np.ndarray, s1: np.ndarray) -> Words:
    """Go on by 2**64 draws."""
    j0 = np.zeros_like(s0)
    j1 = np.zeros_like(s1)
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                j0 = j0 ^ s0
                j1 = j1 ^ s1
            _, s0, s1 = next_uint64(s0, s1)
    return j0, j1


def uniform_float64(s0: np.ndarray, s1: np.ndarray) -> Draw:
    """Draw float64 in [0, 1)."""
    bits, s0, s1 = next_uint64(s0, s1)
    bits >>= _U(11)
    value = bits.view(np.int64).astype(np.float64)
    value *= 2.0**-53
    return value, s0, s1


def uniform_float32(s0: np.ndarray, s1: np.ndarray) -> Draw:
    """Draw float32 in [0, 1]: rounding can give 1.0, as it does in Numba."""
    value, s0, s1 = uniform_float64(s0, s1)
    return value.astype(np.float32), s0, s1


@np.errstate(all="ignore")
def normal_float32(s0: np.ndarray, s1: np.ndarray) -> Draw:
    """Draw float32 of mean 0 and deviation 1 (Box-Muller; two steps)."""
    u1, s0, s1 = uniform_float32(s0, s1)
    u2, s0, s1 = uniform_float32(s0, s1)
    radius = np.sqrt(np.float32(-2) * np.log(u1))
    return radius * np.cos(np.float32(2 * math.pi) * u2), s0, s1


@np.errstate(all="ignore")
def normal_float64(s0: np.ndarray, s1: np.ndarray) -> Draw:
    """Draw float64 of mean 0 and deviation 1, from two float32 uniforms as Numba does."""
    u1, s0, s1 = uniform_float32(s0, s1)
    u2, s0, s1 = uniform_float32(s0, s1)
    radius = np.sqrt(-2.0 * np.log(u1).astype(np.float64))
    return radius * np.cos(2 * math.pi * u2.astype(np.float64)), s0, s1


def create_states(n: int, seed: int, subsequence_start: int = 0) -> np.ndarray:
    """The states that Numba's ``create_xoroshiro128p_states`` makes.

    A jump is a linear map over the state's 128 bits. Its powers by doubling carry the first state
    to any start, and the first 2**k states to the next 2**k.

    Args:
        n: States to create.
        seed: Any integer, of which 64 bits count.
        subsequence_start: Number of the first state's subsequence, 0 to 2**64 - 1.

    Returns:
        (n,) of ``STATE_DTYPE``, each 2**64 draws after the one before.

    >>> create_states(2, seed=1)["s0"].tolist()
    [10451216379200822465, 8341117667364343960]
    """
    start = int(subsequence_start)
    s0, s1 = (word.reshape(1) for word in init_state(seed))
    leap = jump(*_BASIS)
    for power in range(start.bit_length()):
        if start >> power & 1:
            s0, s1 = _transform(leap, s0, s1)
        leap = _transform(leap, *leap)
    leap = jump(*_BASIS)
    while s0.size < n:
        t0, t1 = _transform(leap, s0, s1)
        s0, s1 = np.concatenate([s0, t0]), np.concatenate([s1, t1])
        leap = _transform(leap, *leap)
    states = np.empty(n, STATE_DTYPE)
    states["s0"], states["s1"] = s0[:n], s1[:n]
    return states


def _transform(images: Words, s0: np.ndarray, s1: np.ndarray) -> Words:
    """Apply a linear map, given by the images (128,) of single bits, to states (n,).

    Bits are taken by the byte, with tables of the sums of the images of a byte's bits.
    """
    tables = [_sums_by_byte(image) for image in images]
    t0, t1 = np.zeros_like(s0), np.zeros_like(s1)
    for byte in range(16):
        word, shift = (s0, s1)[byte // 8], _U(byte % 8 * 8)
        number = ((word >> shift) & _U(0xFF)).astype(np.intp)
        t0 ^= tables[0][byte][number]
        t1 ^= tables[1][byte][number]
    return t0, t1


def _sums_by_byte(image: np.ndarray) -> np.ndarray:
    """Images (128,) of bits to images (16, 256) of the values of each byte of the state."""
    by_bit = image.reshape(16, 8)
    table = np.zeros((16, 256), np.uint64)
    for bit in range(8):
        half = 1 << bit
        table[:, half : 2 * half] = table[:, :half] ^ by_bit[:, bit : bit + 1]
    return table


def _wrap(seed: int | np.ndarray) -> np.uint64 | np.ndarray:
    return _U(seed & 0xFFFFFFFFFFFFFFFF) if isinstance(seed, int) else np.asarray(seed).astype(_U)
