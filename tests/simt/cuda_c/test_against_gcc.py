"""C's arithmetic here against g++'s, on several hundred expressions made by chance."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.sampled import sampled
from tests.simt.cuda_c.generated_expressions import BITS, NAMES, TYPES, Expressions, limits
from tests.simt.cuda_c.host_compiler import both, needs_gxx

pytestmark = needs_gxx

THREADS = 64
DTYPES = {
    "bool": np.bool_,
    "char": np.int8,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
KINDS = """
__device__ int kind(bool x) { return 1; }
__device__ int kind(signed char x) { return 2; }
__device__ int kind(char x) { return 2; }
__device__ int kind(unsigned char x) { return 3; }
__device__ int kind(short x) { return 4; }
__device__ int kind(unsigned short x) { return 5; }
__device__ int kind(int x) { return 6; }
__device__ int kind(unsigned int x) { return 7; }
__device__ int kind(long x) { return 8; }
__device__ int kind(long long x) { return 8; }
__device__ int kind(unsigned long x) { return 9; }
__device__ int kind(unsigned long long x) { return 9; }
__device__ int kind(float x) { return 10; }
__device__ int kind(double x) { return 11; }
"""


@pytest.fixture(autouse=True)
def _generated_code_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """G++ has compiled it; asking nvrtc for each batch, too, would cost seconds."""
    monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)


@cache
def inputs() -> list[np.ndarray]:
    """For each type and thread a number; the ends of the range among them."""
    rng = np.random.default_rng(5)
    made = []
    for type_ in TYPES:
        dtype = DTYPES[type_]
        if type_ not in BITS:
            values = np.round(rng.uniform(-100, 100, THREADS), 3)
            values[:6] = [0, -0.0, 1, -1, 0.5, -100]
        else:
            low, high = limits(type_)
            small = rng.integers(max(low, -20), min(high, 20), THREADS, endpoint=True)
            wide = rng.integers(low, high, THREADS, dtype=dtype, endpoint=True)
            values = np.where(rng.random(THREADS) < 0.5, wide, small.astype(dtype))
            values[:4] = [dtype(end) for end in (low, high, 0, 1)]
            values = rng.permutation(values)
        made.append(values.astype(dtype))
    return made


def parameters() -> str:
    return ", ".join(f"const {type_} *v_{NAMES[type_]}" for type_ in TYPES)


def variables() -> str:
    return "".join(f"    {type_} {NAMES[type_]} = v_{NAMES[type_]}[t];\n" for type_ in TYPES)


def kernel(lines: list[str], more: str = "") -> str:
    """A kernel in which each line sees a variable of every type and fills one row of the results."""
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f'{KINDS}{more}extern "C" __global__ void k({parameters()}, '
        "long long *whole, double *real, int *kinds) {\n"
        f"    int t = threadIdx.x;\n{variables()}{body}}}\n"
    )


def keep(number: int, expression: str) -> str:
    """A line that writes the value of an expression, its type and its size down."""
    at = f"{number} * {THREADS} + t"
    return (
        f"{{ auto r = ({expression}); kinds[{at}] = kind(r) + 100 * (int)sizeof({expression});"
        f" if (kind(r) >= 10) real[{at}] = r; else whole[{at}] = (long long)r; }}"
    )


def assert_same(lines: list[str], more: str = "") -> None:
    """Both compilers get the same from every line, bit for bit."""
    size = len(lines) * THREADS
    results = [np.zeros(size, np.int64), np.zeros(size), np.zeros(size, np.int32)]
    code = kernel(lines, more)
    here, there, trace = both(code, THREADS, [*inputs(), *results])
    assert not trace.hazards
    for mine, theirs in zip(here[-3:], there[-3:], strict=True):
        bits = [a.view(f"u{a.itemsize}").reshape(-1, THREADS) for a in (mine, theirs)]
        wrong = np.argwhere(bits[0] != bits[1])
        told = [
            (
                lines[row],
                thread,
                mine.reshape(-1, THREADS)[row, thread],
                theirs.reshape(-1, THREADS)[row, thread],
            )
            for row, thread in wrong
        ]
        seen: dict[str, tuple] = {}
        for line, *rest in told:
            seen.setdefault(line, tuple(rest))
        assert not seen, "\n".join(
            f"{line}: thread, here, g++: {rest}" for line, rest in seen.items()
        )


@pytest.mark.parametrize("seed", sampled(range(16), every=4))
def test_expressions_have_the_value_and_the_type_that_c_gives_them(seed: int):
    maker = Expressions(seed)
    assert_same([keep(at, maker.make(1 + at % 5).text) for at in range(40)])


INTEGERS = [type_ for type_ in BITS if type_ != "bool"]
FITTING = {"float": "f * f / 200", "double": "d * d / 200"}
"""Floats from 0 to 50, which any integer type holds."""


def assigned(number: int, type_: str, begin: str, change: str) -> str:
    """A line that changes a variable, and writes down what it holds and what the change is worth."""
    at = f"{number} * {THREADS} + t"
    return (
        f"{{ {type_} x = {begin}; auto r = ({change}); kinds[{at}] = kind(r); "
        f"whole[{at}] = (long long)x * 31 + (long long)r; real[{at}] = (double)x - (double)r; }}"
    )


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ""])
def test_a_compound_assignment_computes_in_the_common_type_and_narrows(operator: str):
    lines = []
    for type_ in INTEGERS:
        for other in BITS:
            value = NAMES[other]
            if operator in ("/", "%"):
                value = f"(({value} & 7) + 2)"
            elif operator in ("<<", ">>"):
                value = f"({value} & {max(32, BITS[type_][0]) - 1})"
            change = f"x {operator}= {value}"
            lines.append(assigned(len(lines), type_, NAMES[type_], change))
    assert_same(lines)


@pytest.mark.parametrize("type_", INTEGERS)
def test_an_integer_that_a_float_is_added_to_is_cut_off(type_: str):
    lines = []
    for value in (*FITTING.values(), "1.5", "0.99f"):
        for begin, operator in (("7", "+"), ("60", "-"), ("2", "*"), ("100", "/"), ("3", "")):
            divisor = f"({value} + 1)" if operator == "/" else value
            lines.append(assigned(len(lines), type_, begin, f"x {operator}= {divisor}"))
    assert_same(lines)


@pytest.mark.parametrize("type_", ["float", "double"])
def test_a_float_takes_a_compound_assignment_of_any_number(type_: str):
    lines = []
    for other in TYPES:
        value = NAMES[other] if other not in FITTING else FITTING[other]
        small = f"({value}) / 3" if other in FITTING else f"({value} & 63)"
        for operator in "+-*":
            lines.append(assigned(len(lines), type_, "0.7", f"x {operator}= {small}"))
        lines.append(assigned(len(lines), type_, "0.7", f"x /= {small} + 2"))
        lines.append(assigned(len(lines), type_, "0.7", f"x = {small}"))
    assert_same(lines)


def test_a_variable_of_every_type_is_stepped_up_and_down():
    lines = []
    for type_ in TYPES[1:]:
        for change in ("x++", "++x", "x--", "--x", "++(++x)", "-x++", "x++ + 1", "(x += 1)++"):
            lines.append(assigned(len(lines), type_, NAMES[type_], change))
    assert_same([line.replace("(long long)x", "(long long)(x / 1)") for line in lines])


@pytest.mark.parametrize("type_", TYPES)
def test_arguments_and_results_become_what_the_function_declares(type_: str):
    made, lines = [], []
    for other in TYPES:
        name = f"as_{NAMES[type_]}_from_{NAMES[other]}"
        made.append(f"__device__ {type_} {name}({other} x) {{ return x; }}\n")
        whole = other in BITS or type_ in ("float", "double", "bool")
        value = NAMES[other] if whole else FITTING[other]
        lines.append(keep(len(lines), f"{name}({value})"))
        if whole and (other in BITS or other in FITTING):
            lines.append(keep(len(lines), f"{name}({FITTING['double']})"))
    assert_same(lines, "".join(made))


# Mathematics

_CALLS = """
#ifdef __CUDACC__
#define IN_FLOAT(name, ...) name##f(__VA_ARGS__)
#define OVERLOADED(name, ...) name(__VA_ARGS__)
#else
#define IN_FLOAT(name, ...) name(double(__VA_ARGS__))
#define OVERLOADED(name, ...) name(double(__VA_ARGS__))
#endif
"""
_ANYWHERE = "sin cos tan atan sinh cosh tanh asinh exp exp2 expm1 cbrt erf erfc fabs floor ceil"
_ANYWHERE += " trunc round rint nearbyint"
_ABOVE_ZERO = "sqrt log log2 log10 log1p acosh lgamma tgamma"
_BELOW_ONE = "asin acos atanh"
_CASES = [
    *((name, "f / 16") for name in _ANYWHERE.split()),
    *((name, "f * f / 512 + 1.25f") for name in _ABOVE_ZERO.split()),
    *((name, "f / 101") for name in _BELOW_ONE.split()),
]


LOOSER = {"asin": 4, "erfc": 4, "tgamma": 4}
"""Where NumPy and the C library are further apart; CUDA's own bounds are wider still."""


def over_the_limit(names: list[str], worst: np.ndarray) -> dict[str, float]:
    """The functions whose result is too many units in the last place away, NaN included."""
    limits_ = [LOOSER.get(name.partition("(")[0], 2) for name in names]
    rows = zip(names, worst, limits_, strict=True)
    return {name: float(units) for name, units, limit in rows if not units <= limit}


@pytest.mark.parametrize("spelling", ["IN_FLOAT", "OVERLOADED"])
def test_a_function_of_floats_is_within_two_units_of_the_doubles_result(spelling: str):
    lines = [
        f"{{ float x = {value}; real[{at} * {THREADS} + t] = {spelling}({name}, x); }}"
        for at, (name, value) in enumerate(_CASES)
    ]
    results = [np.zeros(1, np.int64), np.zeros(len(lines) * THREADS), np.zeros(1, np.int32)]
    here, there, _ = both(kernel(lines, _CALLS), THREADS, [*inputs(), *results])
    exact = there[-2].reshape(-1, THREADS)
    apart = np.abs(here[-2].reshape(-1, THREADS) - exact)
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    worst = (apart / unit).max(axis=1)
    assert over_the_limit([name for name, _ in _CASES], worst) == {}


def test_a_function_of_doubles_is_within_two_units_of_the_hosts():
    two = ["pow(fabs(d) + 0.5, f / 30)", "atan2(d, 3.0)", "hypot(d, 7.0)", "fmod(d, 0.7)"]
    two += ["fmax(d, 2)", "fmin(d, 2.0f)", "copysign(3.0, d)", "fdim(d, 1.0)", "fma(d, d, 1.0)"]
    two += ["ldexp(d, 3)", "remainder(d, 0.7)", "exp(i & 7)", "sqrt(uc)", "pow(2, 10)", "abs(d)"]
    texts = [*(f"{name}(d / 16)" for name in _ANYWHERE.split()), *two]
    texts += [f"{name}(d * d / 512 + 1.25)" for name in _ABOVE_ZERO.split()]
    lines = [f"real[{at} * {THREADS} + t] = {text};" for at, text in enumerate(texts)]
    results = [np.zeros(1, np.int64), np.zeros(len(lines) * THREADS), np.zeros(1, np.int32)]
    code = kernel(lines, "#ifndef __CUDACC__\nusing namespace std;\n#endif\n")
    here, there, _ = both(code, THREADS, [*inputs(), *results])
    exact = there[-2].reshape(-1, THREADS)
    apart = np.abs(here[-2].reshape(-1, THREADS) - exact) / np.spacing(np.abs(exact))
    worst = apart.max(axis=1)
    assert over_the_limit(texts, worst) == {}
