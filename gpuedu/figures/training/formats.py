"""Formats of numbers as bars on an axis of powers of two: subnormal, normal, and how fine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.text_fit import Scale, longest_fit

_BAR, _TEXT_PT = 0.62, 9.0
_PALE = "#cfe3f1"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class FormatRange:
    """The positive numbers of a format: where they start and end, and how fine they are.

    Attributes:
        name: such as "fp16".
        smallest_subnormal: equal to ``smallest_normal`` for a format without subnormals.
        smallest_normal: from here up, every number has all bits of the mantissa.
        largest: the largest finite one.
        mantissa_bits: stored, the leading 1 not counted.

    Raises:
        ValueError: if they do not rise.

    >>> FormatRange("fp16", 2**-24, 2**-14, 65504, 10).has_subnormals
    True
    """

    name: str
    smallest_subnormal: float
    smallest_normal: float
    largest: float
    mantissa_bits: int

    def __post_init__(self) -> None:
        if not 0 < self.smallest_subnormal <= self.smallest_normal < self.largest < math.inf:
            raise ValueError(
                f"{self.name!r} must have 0 < smallest_subnormal <= smallest_normal < largest"
            )

    @property
    def has_subnormals(self) -> bool:
        """Whether there are numbers below the smallest normal one."""
        return self.smallest_subnormal < self.smallest_normal


def draw_format(ax: Axes, one: FormatRange, middle: float, scale: Scale) -> None:
    """The bar of a format, with its texts inside, or beside it if there is more room."""
    low, normal, high = (
        math.log2(x) for x in (one.smallest_subnormal, one.smallest_normal, one.largest)
    )
    edge = {"height": _BAR, "edgecolor": style.BLUE, "linewidth": 0.8}
    if one.has_subnormals:
        ax.barh(middle, normal - low, left=low, facecolor=_PALE, hatch="////", **edge)
    ax.barh(middle, high - normal, left=normal, facecolor=style.BLUE, **edge)
    left, right = ax.get_xlim()

    def fit(texts: Sequence[str], start: float, end: float) -> str:
        return longest_fit(texts, (end - start) * scale.x_pt - 8, _TEXT_PT)

    inside = max(low, left), min(normal, right)
    _write_inside(ax, fit(("subnormal", "sub"), *inside), inside, middle, style.INK, _PALE)
    texts = _tell(one)
    inside = max(normal, left), min(high, right)
    text = fit(texts, *inside)
    if text != texts[0] and high < right and fit(texts, high, right) == texts[0]:
        ends = {"xytext": (6, 0), "textcoords": "offset points", "va": "center_baseline"}
        ground = {"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.8}
        look = {"fontsize": _TEXT_PT, "color": style.INK, "bbox": ground}
        ax.annotate(texts[0], (high, middle), **look, **ends)
        return
    _write_inside(ax, text, inside, middle, "white", style.BLUE)


def _write_inside(
    ax: Axes, text: str, ends: tuple[float, float], y: float, color: str, ground: str
) -> None:
    if text:
        box = {"facecolor": ground, "edgecolor": "none", "pad": 0.8}
        look = {"fontsize": _TEXT_PT, "ha": "center", "va": "center_baseline", "bbox": box}
        ax.text(sum(ends) / 2, y, text, color=color, **look)


def _tell(one: FormatRange) -> tuple[str, ...]:
    """What is written of a format, longest first.

    >>> _tell(FormatRange("fp16", 2**-24, 2**-14, 65504, 10))[0]
    '2⁻¹⁴ to 65,504, 10 bits of mantissa'
    """
    bits = f"{one.mantissa_bits} bits" if one.mantissa_bits != 1 else "1 bit"
    exponent = math.log2(one.smallest_normal)
    is_power = exponent == int(exponent)
    smallest = write_power(2, exponent) if is_power else f"{one.smallest_normal:.2g}"
    ends = f"{smallest} to {_write_largest(one.largest)}"
    return f"{ends}, {bits} of mantissa", f"{ends}, {bits}", f"{bits} of mantissa", bits


def write_power(base: int, exponent: float) -> str:
    """A power with its exponent raised.

    >>> write_power(2, -14.0), write_power(10, 38)
    ('2⁻¹⁴', '10³⁸')
    """
    return f"{base}{f'{exponent:.0f}'.translate(_SUPERSCRIPTS)}"


def _write_largest(largest: float) -> str:
    """The largest number of a format, in full where it is short.

    >>> _write_largest(65504.0), _write_largest(3.3895e38)
    ('65,504', '3.4 × 10³⁸')
    """
    if largest < 1e6:
        return f"{largest:,.6g}"
    mantissa, exponent = f"{largest:.1e}".split("e")
    return f"{mantissa} × {write_power(10, int(exponent))}"
