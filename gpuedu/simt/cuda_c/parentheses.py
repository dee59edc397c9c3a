r"""What a grammar without names misreads: ``(a) - b * c``, ``i < n && j > (m)``, ``long(x)``.

To the parser, which does not know which names are types or templates, ``(a) - b * c`` may be a cast
of ``-b``, and ``i < n && j > (m)`` a call of ``i<n && j>``; it often takes them for that. Here the
names are known, so the text is made unambiguous before it is parsed: with more parentheses, or the
word ``const`` or ``volatile`` before a type. Each addition is marked by a form feed, a blank to the
parser, so that ``original`` can take it out again. Lines stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuedu.simt.cuda_c.types import TYPEDEFS

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'\w|[\w.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|[-+*/%&|^<>=!]=|<<|>>|->|\+\+|--|&&|\|\||::|.)""",
    re.VERBOSE | re.DOTALL,
)
_SIZES = frozenset({"unsigned", "signed", "short", "long"})
_BUILT_IN = _SIZES | {"void", "bool", "char", "int", "float", "double", "auto", "const", "volatile"}
_BUILT_IN |= {"size_t", "ptrdiff_t", "struct", "enum", "union", "class", "typename", "decltype"}
_AMBIGUOUS = frozenset({*"+-*&", "&&"})
_BEFORE_OPERAND = frozenset({"return", "case", "else", "do"})
_CLOSING = frozenset({"]", ".", "->", "++", "--", "::"})
_MEMBERS = frozenset({".", "->"})
_TEMPLATES = {"template", "operator", "static_cast", "reinterpret_cast", "const_cast", "min", "max"}
_TYPE_TEMPLATES = frozenset({"thread_block_tile"})
_TEMPLATES |= {"dynamic_cast", "bit_cast", "fragment", "tiled_partition", *_TYPE_TEMPLATES}
_AFTER_TEMPLATE = frozenset({*"({-+*&~!", "::"})
_DEFINED = re.compile(
    r"\b(?:struct|class|enum|union|typename|using)\s+(\w+)|\btypedef\b[^;{]*?(\w+)\s*(?:\[[^;]*\])?;"
    r"|\}\s*(\w+)\s*;"
)
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{]*?(\w+)\s*\(|\btemplate\s*<[^;{]*?struct\s+(\w+)")
_STRUCTURE = re.compile(
    r"\btemplate\s*<[^;{]*?>\s*struct\s+(?:__align__\([^)]*\)\s*|alignas\([^)]*\)\s*)?(\w+)"
)
_ADDED = re.compile("\\(\f|\f\\)|const\f|volatile\f")


@dataclass
class _Token:
    kind: str
    text: str
    before: str = ""
    after: str = ""

    def enclose(self, last: _Token) -> None:
        """Put parentheses around the text from this token to the last one."""
        self.before = "(\f" + self.before
        last.after += "\f)"


def plain(text: str) -> str:
    r"""The text with each of these written so that it can be read in only one way.

    >>> plain("x = (a) - b * c; y = (a)++; z = (float) - b;").replace("\f", "")
    'x = ((a)) - b * c; y = (a)++; z = (float) - b;'
    >>> plain("typedef float real; x = (real) - b; n = unsigned(x);").replace("\f", "")
    'typedef float real; x = (constreal) - b; n = (unsigned)(x);'
    >>> plain("if (i < n && j > -m) f<4>(x);").replace("\f", "")
    'if ((i) < n && j > -m) f<4>(x);'
    """
    if "(" not in text and "<" not in text:
        return text
    tokens = [_Token(found.lastgroup or "", found.group()) for found in _TOKEN.finditer(text)]
    solid = [token for token in tokens if token.kind != "blank"]
    types = _BUILT_IN | TYPEDEFS.keys() | set(_names(_DEFINED, text))
    structures = _TYPE_TEMPLATES | set(_names(_STRUCTURE, text))
    templates = _TEMPLATES | structures | set(_names(_TEMPLATE, text))
    closing = _pairs(solid)
    for at, token in enumerate(solid):
        if token.text == "(" and at in closing:
            _parenthesis(solid, at, closing[at], types)
        elif token.text == "<" and at and solid[at - 1].text in structures:
            _declaration(solid, at)
        elif token.text == "<" and at and solid[at - 1].kind == "word":
            _less(solid, at, closing, types, templates)
    return "".join(token.before + token.text + token.after for token in tokens)


def original(text: str) -> str:
    """A part of an unambiguous text as it was originally written.

    >>> original(plain("(a) - b"))
    '(a) - b'
    """
    return _ADDED.sub("", text) if "\f" in text else text


def _names(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for found in pattern.finditer(text):
        yield next(name for name in found.groups() if name)


def _pairs(solid: list[_Token]) -> dict[int, int]:
    """Where each bracket or parenthesis is closed."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(solid):
        if token.text in ("(", "["):
            opened.append(at)
        elif token.text in (")", "]") and opened:
            pairs[opened.pop()] = at
    return pairs


# Casts


def _parenthesis(solid: list[_Token], first: int, last: int, types: set[str]) -> None:
    """Tell an expression in parentheses from a type in them."""
    inside = solid[first + 1 : last]
    before = solid[first - 1] if first else None
    if not inside:
        return
    if before is not None and before.text in _SIZES:
        if not _is_cast_by_word(solid, first):
            return
        before.enclose(before)
    elif before is not None and before.text == "sizeof":
        if not _is_type(inside, types):
            solid[first].enclose(solid[last])
        return
    elif not _begins_operand(before):
        return
    after = solid[last + 1].text if last + 1 < len(solid) else ""
    if after not in _AMBIGUOUS or _has_comma(inside):
        return
    if not _is_type(inside, types):
        if inside[0].kind == "word":
            solid[first].enclose(solid[last])
    elif len(inside) == 1 and inside[0].text not in _BUILT_IN:
        inside[0].before += "const\f"


def _is_cast_by_word(solid: list[_Token], first: int) -> bool:
    """Whether ``long (`` before an operand is a cast, not the begin of a declaration."""
    earlier = solid[first - 2] if first > 1 else None
    if earlier is None or earlier.text in ";{}" or solid[first + 1].text in ("*", "&"):
        return False
    return _begins_operand(earlier)


def _begins_operand(before: _Token | None) -> bool:
    """Whether what follows a token is an operand, not the arguments of a call."""
    if before is None or before.kind == "word":
        return before is None or before.text in _BEFORE_OPERAND
    return before.kind == "sign" and before.text not in _CLOSING


def _has_comma(inside: list[_Token]) -> bool:
    depth = 0
    for token in inside:
        depth += (token.text in "([{") - (token.text in ")]}")
        if token.text == "," and not depth:
            return True
    return False


def _is_type(inside: list[_Token], types: set[str]) -> bool:
    """Whether parentheses hold a type, such as ``unsigned int`` or ``const T*``."""
    depth = 0
    for token in inside:
        depth += (token.text == "<") - (token.text == ">")
        if depth or token.text in ("*", "&", ">", "::"):
            continue
        if token.text not in types:
            return False
    return inside[0].text in types


# Templates


def _declaration(solid: list[_Token], at: int) -> None:
    """Tell the declaration ``tile<16> t`` from two comparisons."""
    first, last = at - 1, at + 1
    while first > 1 and solid[first - 1].text == "::":
        first -= 2
    depth = 1
    while depth and last < len(solid) and solid[last].text not in (";", "{", "}"):
        depth += (solid[last].text == "<") - (solid[last].text == ">")
        last += 1
    begins = not first or solid[first - 1].text in (";", "{", "}", ")")
    if begins and not depth and last < len(solid) and solid[last].kind == "word":
        solid[first].before = "volatile\f" + solid[first].before


def _less(
    solid: list[_Token], at: int, closing: dict[int, int], types: set[str], templates: set[str]
) -> None:
    """Tell ``i < n`` from the begin of a template's arguments."""
    name = solid[at - 1]
    if name.text in templates or name.text in types or (at > 1 and solid[at - 2].text == "::"):
        return
    end = _greater(solid, at, closing)
    if end is None:
        return
    inside = solid[at + 1 : end]
    single = len(inside) < 2 or all(
        token.text in types or token.kind == "number" or token.text in ",*&" for token in inside
    )
    if single and solid[end].text == ">":
        return
    solid[_chain(solid, at - 1, closing)].enclose(name)


def _greater(solid: list[_Token], at: int, closing: dict[int, int]) -> int | None:
    """The ``>`` after a ``<`` that may look like the end of a template's arguments."""
    place = at + 1
    while place < len(solid) and solid[place].text not in (")", "]", ";", "{", "}"):
        if solid[place].text in (">", ">>", ">=") and place + 1 < len(solid):
            follows = solid[place + 1]
            is_joined = solid[place].text == ">="  # the grammar may part it
            if is_joined or follows.text in _AFTER_TEMPLATE or follows.text[0] in "-+":
                return place
        place = closing.get(place, place) + 1
    return None


def _chain(solid: list[_Token], at: int, closing: dict[int, int]) -> int:
    """Where an operand such as ``p[i].x`` begins that ends at a name."""
    opening = {last: first for first, last in closing.items()}
    while at >= 2 and solid[at - 1].text in _MEMBERS:
        at -= 2
        while at in opening:
            at = opening[at]
            if at and (solid[at - 1].kind == "word" or at - 1 in opening):
                at -= 1
            else:
                return at
    return at
