"""The forms of ``numba.cuda``'s functions that take and give scalars.

Masks and lane numbers, unlike values, are not converted: Numba compiles 32- and 64-bit integers
there and nothing else. A form for each accepted type says so.
"""

from __future__ import annotations

from itertools import product

from gpuedu.simt.typing_rules.forms import Form, forms

_SIGNED = ("i1", "i2", "i4", "i8")
_UNSIGNED = ("u1", "u2", "u4", "u8")
_WORDS = ("i4", "i8", "u4", "u8")
_HALF_UNARY = (
    "abs ceil cos exp exp10 exp2 floor log log10 log2 neg rcp rint rsqrt sin sqrt tanh"
    " tanh_approx trunc"
)
# Their predicate is refused where it is a bool, the type of every comparison, or a float.
INTEGERS_ONLY = ("cuda.syncthreads_count", "cuda.syncthreads_and", "cuda.syncthreads_or")


def _halves(functions: str, form: str) -> dict[str, tuple[Form, ...]]:
    return dict.fromkeys((f"cuda.fp16.h{name}" for name in functions.split()), forms(form))


CONVERTING: dict[str, tuple[Form, ...]] = {
    # popc and clz give their operand's type, ffs always uint32.
    **dict.fromkeys(
        ("cuda.popc", "cuda.clz"), forms(*(f"{code} -> {code}" for code in _SIGNED + _UNSIGNED))
    ),
    # A tie goes to the first form, so brev of an int64 is the brev of its low 32 bits.
    "cuda.brev": forms("u4 -> u4", "u8 -> u8"),
    "cuda.ffs": (
        forms("i1 -> u4", "i2 -> u4", is_compiled=False)
        + forms("i4 -> u4", "i8 -> u4")
        + forms("u1 -> u4", "u2 -> u4", is_compiled=False)
        + forms("u4 -> u4", "u8 -> u4")
    ),
    "cuda.fma": forms("f4 f4 f4 -> f4", "f8 f8 f8 -> f8"),
    "cuda.cbrt": forms("f4 -> f4", "f8 -> f8"),
    **_halves(_HALF_UNARY, "f2 -> f2"),
    **_halves("add sub mul div max min", "f2 f2 -> f2"),
    **_halves("eq ne lt le gt ge", "f2 f2 -> ?"),
    "cuda.fp16.hfma": forms("f2 f2 f2 -> f2"),
    "cuda.match_any_sync": forms("i4 i4 -> i4", "i4 i8 -> i4", "i4 f4 -> i4", "i4 f8 -> i4"),
    "cuda.match_all_sync": forms(
        "i4 i4 -> i4 ?", "i4 i8 -> i4 ?", "i4 f4 -> i4 ?", "i4 f8 -> i4 ?"
    ),
    # An integer of any width is cut to int32.
    **dict.fromkeys(INTEGERS_ONLY, forms("i4 -> i4")),
    "cuda.activemask": forms("-> u4"),
    "cuda.lanemask_lt": forms("-> u4"),
}

_SHUFFLE = forms(
    *(
        f"{mask} {value} {lane} -> {value}"
        for mask, value, lane in product(_WORDS, ("i4", "i8", "f4", "f8"), _WORDS)
    )
)
_VOTERS = tuple(product(_WORDS, ("?", *_SIGNED, *_UNSIGNED)))
_VOTE = forms(*(f"{mask} {voter} -> ?" for mask, voter in _VOTERS))

EXACT: dict[str, tuple[Form, ...]] = {
    **dict.fromkeys((f"cuda.shfl{way}_sync" for way in ("", "_up", "_down", "_xor")), _SHUFFLE),
    **dict.fromkeys((f"cuda.{name}_sync" for name in ("all", "any", "eq")), _VOTE),
    "cuda.ballot_sync": forms(*(f"{mask} {voter} -> i4" for mask, voter in _VOTERS)),
    "cuda.selp": forms(
        *(f"? {code} {code} -> {code}" for code in ("i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"))
    ),
}
