"""Expressions of C by chance, over variables of every arithmetic type, none with undefined results.

Each carries its type and the range of its values, by C's own rules, only so that no float is
converted to an integer that cannot hold it, nothing is divided by zero and no count of a shift
leaves the width. What an expression is worth, and its type, only the compilers say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

BITS = {
    "bool": (1, False),
    "char": (8, True),
    "signed char": (8, True),
    "unsigned char": (8, False),
    "short": (16, True),
    "unsigned short": (16, False),
    "int": (32, True),
    "unsigned int": (32, False),
    "long": (64, True),
    "unsigned long": (64, False),
    "long long": (64, True),
    "unsigned long long": (64, False),
}
FLOATS = ("float", "double")
TYPES = (*BITS, *FLOATS)
NAMES = dict(
    zip(
        TYPES,
        ("b", "c", "sc", "uc", "s", "us", "i", "u", "l", "ul", "ll", "ull", "f", "d"),
        strict=True,
    )
)
"""The variable of each type."""

_RANKS = {"bool": 0, "int": 1, "unsigned int": 1, "long": 2, "unsigned long": 2}
_RANKS |= {"long long": 3, "unsigned long long": 3}


LEVELS = {",": 0, "?": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7}
LEVELS |= {"<": 8, "<=": 8, ">": 8, ">=": 8, "<<": 9, ">>": 9, "+": 10, "-": 10}
LEVELS |= {"*": 11, "/": 11, "%": 11}
UNARY, PRIMARY = 12, 13
"""How tightly an operator binds; ISO C++17, [expr]."""


@dataclass(frozen=True)
class Made:
    """An expression's text, its type, the range of its values, and how tightly it binds."""

    text: str
    type: str
    low: float
    high: float
    level: int = PRIMARY

    @property
    def is_float(self) -> bool:
        return self.type in FLOATS


def limits(type_: str) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    bits, signed = BITS[type_]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def promoted(type_: str) -> str:
    """Integral promotion."""
    return "int" if type_ in BITS and BITS[type_][0] < 32 else type_


def common(left: str, right: str) -> str:
    """The usual arithmetic conversions."""
    for name in ("double", "float"):
        if name in (left, right):
            return name
    left, right = sorted((promoted(left), promoted(right)), key=_RANKS.__getitem__)
    if BITS[left][1] == BITS[right][1] or left == right:
        return right
    signed, unsigned = (left, right) if BITS[left][1] else (right, left)
    if _RANKS[unsigned] >= _RANKS[signed]:
        return unsigned
    return signed if BITS[signed][0] > BITS[unsigned][0] else f"unsigned {signed}"


class Expressions:
    """A maker of expressions from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def make(self, depth: int) -> Made:
        """An expression of at most that depth."""
        if depth == 0:
            return self.random.choice((self.variable, self.variable, self.literal))()
        kinds: tuple[Callable[[int], Made], ...] = (
            *(self.arithmetic,) * 4,
            *(self.bits, self.shift, self.division, self.division, self.comparison),
            *(self.cast, self.cast, self.unary, self.ternary, self.logic, self.comma),
        )
        return self.random.choice(kinds)(depth - 1)

    def variable(self) -> Made:
        type_ = self.random.choice(TYPES)
        if type_ in FLOATS:
            return Made(NAMES[type_], type_, -100.0, 100.0)
        return Made(NAMES[type_], type_, *limits(type_))

    def literal(self) -> Made:
        texts = {
            "int": ("0", "1", "7", "0x1F", "017", "2147483647", "100'000", "-3"),
            "unsigned int": ("0xFFFFFFFF", "3u", "0x80000000", "4294967295U", "037777777777"),
            "long": ("2147483648", "5l", "0x7fffffffffffffff"),
            "unsigned long": ("0xFFFFFFFFFFFFFFFF", "9ul", "18446744073709551615u"),
            "long long": ("5ll", "-1LL"),
            "unsigned long long": ("9ull", "0xFFull", "1LLU"),
            "char": ("'a'", "'\\n'", "'\\0'", "'\\\\'", "'\\x7f'", "'\\''", "'\\xff'"),
            "bool": ("true", "false"),
            "float": ("1.5f", "2e-1f", ".25f", "3.F", "0x1.8p1f"),
            "double": ("0.1", "1e3", "2.", ".5", "0x1p-2", "12.5e-1"),
        }
        type_ = self.random.choice(tuple(texts))
        text = self.random.choice(texts[type_])
        if type_ in FLOATS:
            return Made(text, type_, -1000.0, 1000.0)
        return Made(text, type_, *limits(type_), UNARY if text[0] == "-" else PRIMARY)

    def put(self, made: Made, level: int) -> str:
        """An operand's text, in parentheses where it binds less than ``level``, or by chance."""
        wanted = made.level < level or self.random.random() < 0.2
        return f"({made.text})" if wanted else made.text

    def joined(self, left: Made, operator: str, right: Made) -> str:
        """Two operands; the right one binds tighter than the operator."""
        level = LEVELS[operator]
        return f"{self.put(left, level)} {operator} {self.put(right, level + 1)}"

    def _computed(self, text: str, type_: str, low: float, high: float, level: int) -> Made:
        """A result of arithmetic: integers wrap, floats grow."""
        if type_ in BITS:
            low, high = limits(type_)
        return Made(text, type_, low, high, level)

    def arithmetic(self, depth: int) -> Made:
        left, right = self.make(depth), self.make(depth)
        operator = self.random.choice("+-*")
        type_ = common(left.type, right.type)
        reach = max(abs(left.low), abs(left.high)), max(abs(right.low), abs(right.high))
        size = reach[0] * reach[1] if operator == "*" else sum(reach)
        if (type_ == "float" and size > 1e37) or size > 1e300:
            return left
        text = self.joined(left, operator, right)
        return self._computed(text, type_, -size, size, LEVELS[operator])

    def integer(self, depth: int) -> Made:
        made = self.make(depth)
        return made if not made.is_float else self.convert(made, self.random.choice(tuple(BITS)))

    def bits(self, depth: int) -> Made:
        left, right = self.integer(depth), self.integer(depth)
        type_, operator = common(left.type, right.type), self.random.choice("&|^")
        text = self.joined(left, operator, right)
        return Made(text, type_, *limits(type_), LEVELS[operator])

    def shift(self, depth: int) -> Made:
        left, right = self.integer(depth), self.integer(depth)
        type_ = promoted(left.type)
        count = f"({self.put(right, LEVELS['&'])} & {BITS[type_][0] - 1})"
        operator = self.random.choice(("<<", ">>", ">>"))
        text = f"{self.put(left, LEVELS['<<'])} {operator} {count}"
        return Made(text, type_, *limits(type_), LEVELS["<<"])

    def division(self, depth: int) -> Made:
        left = self.make(depth)
        dividend = self.put(left, LEVELS["/"])
        if left.is_float:
            divisors = {"3": "int", "-7.5f": "float", "0.3": "double", "(uc + 1)": "int"}
            divisors["(f * f + 1.0f)"] = "float"
            right, kind = self.random.choice(tuple(divisors.items()))
            size = 4 * max(abs(left.low), abs(left.high))
            return Made(f"{dividend} / {right}", common(left.type, kind), -size, size, LEVELS["/"])
        right = self.integer(depth)
        type_ = common(left.type, promoted(right.type))
        divisor = f"(({self.put(right, LEVELS['&'])} & 7) + 2)"
        if self.random.random() < 0.5:
            divisor = f"-{divisor}"
        text = f"{dividend} {self.random.choice('/%')} {divisor}"
        return Made(text, type_, *limits(type_), LEVELS["/"])

    def comparison(self, depth: int) -> Made:
        operator = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        left, right = (self.put(self.make(depth), LEVELS["<<"]) for _ in range(2))
        return Made(f"{left} {operator} {right}", "bool", 0, 1, LEVELS[operator])

    def unary(self, depth: int) -> Made:
        operator = self.random.choice("-+~!")
        made = self.integer(depth) if operator == "~" else self.make(depth)
        text = f"{operator} {self.put(made, UNARY)}"
        if operator == "!":
            return Made(text, "bool", 0, 1, UNARY)
        type_, size = promoted(made.type), max(abs(made.low), abs(made.high))
        return self._computed(text, type_, -size, size, UNARY)

    def ternary(self, depth: int) -> Made:
        test, left, right = self.make(depth), self.make(depth), self.make(depth)
        if {left.type, right.type} == {"char", "signed char"}:
            right = left  # C makes an int of the two; here they are one type
        type_ = left.type if left.type == right.type else common(left.type, right.type)
        low, high = min(left.low, right.low), max(left.high, right.high)
        text = f"{self.put(test, 2)} ? {self.put(left, 1)} : {self.put(right, 1)}"
        if type_ == left.type == right.type:
            return Made(text, type_, low, high, 1)
        return self._computed(text, type_, low, high, 1)

    def logic(self, depth: int) -> Made:
        operator = self.random.choice(("&&", "||"))
        text = self.joined(self.make(depth), operator, self.make(depth))
        return Made(text, "bool", 0, 1, LEVELS[operator])

    def comma(self, depth: int) -> Made:
        last = self.make(depth)
        text = f"({self.put(self.make(depth), 0)}, {self.put(last, 1)})"
        return Made(text, last.type, last.low, last.high)

    def cast(self, depth: int) -> Made:
        return self.convert(self.make(depth), self.random.choice(TYPES))

    def convert(self, made: Made, type_: str) -> Made:
        """A cast, in one of its spellings, where the value fits if it is a float's."""
        low, high = made.low, made.high
        if type_ == "bool":
            low, high = 0, 1
        elif type_ in BITS:
            least, most = limits(type_)
            if made.is_float and not (least < low and high < most):
                positive = Made(f"{self.put(made, 9)} > 0", "bool", 0, 1, LEVELS[">"])
                return self.convert(positive, type_)
            low, high = least, most
        choice = self.random.random()
        if choice < 0.3:
            return Made(f"static_cast<{type_}>({made.text})", type_, low, high)
        plain = made.level < PRIMARY or made.text.isidentifier()
        if " " not in type_ and choice < 0.6 and plain:
            return Made(f"{type_}({made.text})", type_, low, high)
        return Made(f"({type_}){self.put(made, UNARY)}", type_, low, high, UNARY)
