"""The functions of ``numba.cuda.libdevice``: each has one form, and converts anything real to it.

NVIDIA's libdevice names them by type: an ``f`` at the end is float32, ``ll`` int64. ``u`` and
``ull`` mean unsigned, but Numba declares them with signed integers.
"""

from __future__ import annotations

from gpuedu.simt.typing_rules.forms import Form, forms

# Names by form. An X stands for each way of rounding: down, to nearest, up, towards zero.
_NAMES = {
    "i4 -> i4": "abs brev clz ffs popc",
    "f8 -> f8": (
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi drcp_rX dsqrt_rX erf erfc"
        " erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 log1p log2"
        " logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan tanh"
        " tgamma trunc y0 y1"
    ),
    "f4 -> f4": (
        "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf cospif erfcf erfcinvf"
        " erfcxf erff erfinvf exp10f exp2f expf expm1f fabsf fast_cosf fast_exp10f fast_expf"
        " fast_log10f fast_log2f fast_logf fast_sinf fast_tanf floorf frcp_rX frsqrt_rn fsqrt_rX"
        " j0f j1f lgammaf log10f log1pf log2f logbf logf nearbyintf normcdff normcdfinvf rcbrtf"
        " rintf roundf rsqrtf saturatef sinf sinhf sinpif sqrtf tanf tanhf tgammaf truncf y0f"
        " y1f"
    ),
    "f8 f8 -> f8": (
        "atan2 copysign dadd_rX ddiv_rX dmul_rX fdim fmax fmin fmod hypot nextafter pow remainder"
    ),
    "f4 f4 -> f4": (
        "atan2f copysignf fadd_rX fast_fdividef fast_powf fdimf fdiv_rX fmaxf fminf fmodf"
        " fmul_rX fsub_rX hypotf nextafterf powf remainderf"
    ),
    "i8 -> i8": "brevll llabs",
    "i4 i4 i4 -> i4": "byte_perm sad usad",
    "i8 -> i4": "clzll ffsll popcll",
    "f8 -> f4": "double2float_rX",
    "f8 -> i4": (
        "double2hiint double2int_rX double2loint double2uint_rX ilogb isfinited isinfd isnand"
        " signbitd"
    ),
    "f8 -> i8": "double2ll_rX double2ull_rX double_as_longlong llrint llround",
    "f4 -> f4 f4": "fast_sincosf modff sincosf sincospif",
    "f4 -> i4": "finitef float2int_rX float2uint_rX float_as_int ilogbf isinff isnanf signbitf",
    "f4 -> i2": "float2half_rn",
    "f4 -> i8": "float2ll_rX float2ull_rX llrintf llroundf",
    "f8 f8 f8 -> f8": "fma fma_rX",
    "f4 f4 f4 -> f4": "fmaf fmaf_rX",
    "f8 -> f8 i4": "frexp",
    "f4 -> f4 i4": "frexpf",
    "i4 i4 -> i4": "hadd max min mul24 mulhi rhadd uhadd umax umin umul24 umulhi urhadd",
    "i2 -> f4": "half2float",
    "i4 i4 -> f8": "hiloint2double",
    "i4 -> f8": "int2double_rn uint2double_rn",
    "i4 -> f4": "int2float_rX int_as_float uint2float_rX",
    "i4 f8 -> f8": "jn yn",
    "i4 f4 -> f4": "jnf ynf",
    "f8 i4 -> f8": "ldexp powi scalbn",
    "f4 i4 -> f4": "ldexpf powif scalbnf",
    "i8 -> f8": "ll2double_rX longlong_as_double ull2double_rX",
    "i8 -> f4": "ll2float_rX ull2float_rX",
    "i8 i8 -> i8": "llmax llmin mul64hi ullmax ullmin umul64hi",
    "f8 -> f8 f8": "modf sincos sincospi",
    "f8 f8 -> f8 i4": "remquo",
    "f4 f4 -> f4 i4": "remquof",
}


def _expanded(names: str) -> list[str]:
    return [
        name.replace("_rX", f"_r{way}")
        for name in names.split()
        for way in ("dnuz" if name.endswith("_rX") else " ")
    ]


LIBDEVICE: dict[str, tuple[Form, ...]] = {
    f"cuda.libdevice.{name}": forms(form)
    for form, names in _NAMES.items()
    for name in _expanded(names)
}
