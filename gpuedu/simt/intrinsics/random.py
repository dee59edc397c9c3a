"""The xoroshiro128+ generator of ``numba.cuda.random``, over arrays of states.

A state is two 64-bit words ``s0`` and ``s1``. The functions take the words of all lanes and return
the drawn values and the new words. Integers and uniform numbers are those of Numba bit for bit;
normal ones differ by the rounding of ``log`` and ``cos``.

Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators" (2018), with the
constants of the 2016 version that Numba uses. ``gpuedu.simt.host.random`` makes the states.
"""

from __future__ import annotations

import math

import numpy as np

Draw = tuple[np.ndarray, np.ndarray, np.ndarray]

_U = np.uint64


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
