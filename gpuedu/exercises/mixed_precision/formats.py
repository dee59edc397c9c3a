"""The number formats of the lesson: how their bits are shared out, and what follows from that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: a sign, ``exponent_bits`` and ``mantissa_bits``.

    ``has_infinity``: the largest exponent field means infinity (mantissa 0) or NaN, as in IEEE
    754-2019, section 3.4. Without it only the pattern of all ones is NaN, and the rest of that
    exponent are numbers: e4m3 of the OCP 8-bit Floating Point Specification (OFP8), revision 1.0.

    >>> FP16.largest, FP16.smallest == 2.0**-24, E4M3.largest
    (65504.0, True, 448.0)
    """

    name: str
    exponent_bits: int
    mantissa_bits: int
    has_infinity: bool = True

    @property
    def spec(self) -> tuple[int, int, bool]:
        """The arguments of the lesson's functions after the first."""
        return self.exponent_bits, self.mantissa_bits, self.has_infinity

    @property
    def bits(self) -> int:
        """All bits, the sign included."""
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def bias(self) -> int:
        """The number that is subtracted from the exponent field."""
        return 2 ** (self.exponent_bits - 1) - 1

    @property
    def epsilon(self) -> float:
        """From 1 to the next number above it."""
        return 2.0**-self.mantissa_bits

    @property
    def largest_code(self) -> int:
        """The pattern of the largest finite number."""
        beyond = 2**self.exponent_bits - 1 << self.mantissa_bits
        return beyond - 1 if self.has_infinity else beyond + 2**self.mantissa_bits - 2

    @property
    def largest(self) -> float:
        """The largest finite number."""
        steps = 2**self.mantissa_bits + self.largest_code % 2**self.mantissa_bits
        exponent = (self.largest_code >> self.mantissa_bits) - self.bias
        return steps * 2.0 ** (exponent - self.mantissa_bits)

    @property
    def smallest_normal(self) -> float:
        """The smallest positive number with the full mantissa."""
        return 2.0 ** (1 - self.bias)

    @property
    def smallest(self) -> float:
        """The smallest positive number, a subnormal one."""
        return 2.0 ** (1 - self.bias - self.mantissa_bits)


FP32 = Format("fp32", 8, 23)
TF32 = Format("tf32", 8, 10)
BF16 = Format("bf16", 8, 7)
FP16 = Format("fp16", 5, 10)
E5M2 = Format("e5m2", 5, 2)
E4M3 = Format("e4m3", 4, 3, has_infinity=False)

ROUNDED_TO = (FP16, BF16, TF32, E5M2, E4M3)
"""The formats that the lesson rounds float32 to."""
