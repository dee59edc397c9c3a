"""kv-cache: its picture, of the course's GPT that writes with the learner's functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import compress
from typing import Any

import numpy as np

from gpuedu.exercises.inference.kv_cache.pictured_gpt import (
    CharacterGPT,
    Written,
    build_gpt,
    write_cached,
    write_plain,
)
from gpuedu.exercises.plain import numbers
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

_STARTS = ("def ", "class Shelf:", "# How many shoes fit on it?")
_CHARACTERS, _CONTEXT = 64, 96
_FLOAT_BYTES, _KIB, _MFLOP = 4, 2**10, 1e6


@cache
def _without() -> tuple[CharacterGPT, Written]:
    model = build_gpt(_CONTEXT)
    with quiet_torch():
        return model, write_plain(model, _STARTS, characters=_CHARACTERS)


def draw_writing(
    positions: Callable[..., Any], attend: Callable[..., Any], cache_bytes: Callable[..., Any]
) -> Any:
    """What each step computes with and without the cache; what the cache takes meanwhile."""
    model, plain = _without()
    with quiet_torch():
        own = write_cached(model, _STARTS, positions, attend, characters=_CHARACTERS)
    attention = model.blocks[0].attention
    shape = len(model.blocks), attention.heads, attention.out.in_features // attention.heads
    sizes = [
        numbers(
            cache_bytes(list(lengths), _CONTEXT, *shape, _FLOAT_BYTES),
            2,
            "the result of `cache_bytes`",
        )
        for lengths in own.lengths
    ]
    reserved, used = (tuple(float(one) / _KIB for one in each) for each in zip(*sizes, strict=True))
    says = _compared(own, plain)
    with_cache, without = (tuple(one / _MFLOP for one in each.flop) for each in (own, plain))
    source = (
        f"{says}\nCounted while the GPT wrote {_CHARACTERS} characters of each of "
        f"{len(_STARTS)} texts with your functions: FLOP of matrix products.\n"
        f"The cache has {_CONTEXT} places for each text; its bytes are those of your `cache_bytes`."
    )
    alt = (
        f"{says} The last step takes {without[-1]:.0f} MFLOP without a cache and "
        f"{with_cache[-1]:.1f} with it, and the first one {with_cache[0]:.0f}. "
        f"The cache takes {reserved[-1]:.0f} KiB, and {used[-1]:.0f} of them are in use at the end."
    )
    arithmetic = Caption("Arithmetic", alt, source, x="new characters", y="MFLOP for each step")
    memory = replace(arithmetic, title="Memory", y="KiB of cache")
    left, right = style.new_axes(3.9, columns=2)
    lines = [
        _line(f"without\na cache: {without[-1]:.3g}", without, style.ORANGE),
        _line(f"yours: {with_cache[-1]:.2g}", with_cache, style.BLUE),
    ]
    plot_by_count(lines, caption=arithmetic, ax=left)
    left.set_xlim(left=-1.5)  # the first step shouldn't be on the axis
    left.annotate(
        f"{with_cache[0]:.3g}: reads\nthe prompts",
        (1, with_cache[0]),
        xytext=(-4, 24),
        textcoords="offset points",
        fontsize=9,
        color=style.BLUE,
        bbox=style.BEHIND_TEXT,
    )
    lines = [
        _line(f"reserved:\n{reserved[-1]:.4g}", reserved, style.QUIET),
        _line(f"in use:\n{used[-1]:.4g}", used, style.BLUE),
    ]
    plot_by_count(lines, caption=memory, ax=right)
    right.set_xlim(left.get_xlim())
    return np.array([left, right])


def _line(name: str, values: tuple[float, ...], color: str) -> CountLine:
    """A value for each step."""
    return CountLine(name, tuple(range(1, len(values) + 1)), values, color, has_marks=False)


def _compared(own: Written, plain: Written) -> str:
    """Whether the texts are the same, or where the first of them begins to differ."""
    differ = [one != other for one, other in zip(own.texts, plain.texts, strict=True)]
    if not any(differ):
        return f"All {len(_STARTS)} texts are the same as without a cache."
    number = next(compress(range(len(differ)), differ))
    pairs = zip(own.texts[number], plain.texts[number], strict=True)
    place = next(at for at, (one, other) in enumerate(pairs) if one != other)
    count = place - len(_STARTS[number]) + 1
    return f"Text {number} isn't the same as without a cache: new character {count} differs."


PICTURE = draw_writing
