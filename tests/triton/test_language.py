"""What is of Triton's language, and what would lead out of it."""

from __future__ import annotations

import ast
import inspect

import pytest

from gpuedu.triton import language
from tests.triton import faults, kernels

MADE = [one for module in (kernels, faults) for one in vars(module).values() if hasattr(one, "run")]
BROKEN = {
    "a_name_that_is_not_there": "`factor` is not known in a kernel",
    "between_two_elements": "`tl.pointer_type` cannot be used",
}
HEAD = "@triton.jit\ndef f(x, n, BLOCK: tl.constexpr):\n"


def check(text, *known):
    """Every function of a text; the others of it are known to each."""
    functions = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    assert functions
    for one in functions:
        language.check(one, [*known, *(other.name for other in functions if other is not one)])


def source_of(kernel):
    return inspect.getsource(kernel.fn)


@pytest.mark.parametrize("kernel", MADE, ids=lambda one: one.fn.__name__)
def test_every_kernel_of_the_tests_is_of_it(kernel):
    text = source_of(kernel)
    text += (
        source_of(kernels.tile_of) if "tile_of(" in text and kernel is not kernels.tile_of else ""
    )
    if kernel.fn.__name__ in BROKEN:
        with pytest.raises(language.LanguageError, match=BROKEN[kernel.fn.__name__]):
            check(text)
        return
    check(text)


def test_a_name_that_says_it_is_not_used():
    check(HEAD + "    for _ in range(n):\n        _rest = x\n    return x")


def test_numbers_stand_beside_kernels():
    check(HEAD + "    return x * LOG + WIDTH", "LOG", "WIDTH")


@pytest.mark.parametrize(
    "body",
    [
        "import os",
        "from os import system",
        "open('x')",
        "eval('1')",
        "getattr(x, 'handle')",
        "x.handle.data",
        "x.__class__",
        "().__class__.__bases__",
        "'{0.__class__}'.format(x)",
        "f'{x}'",
        "tl.core.inspect",
        "tl.semantic",
        "tl.tensor",
        "tl.load.__globals__",
        "tl.inline_asm_elementwise('', '', [x], tl.int32, True, 1)",
        "tl.static_print(x)",
        "triton.runtime",
        "triton.jit",
        "libdevice.core.builtins",
        "[one for one in x]",
        "(lambda: x)()",
        "x[0].attr = 1",
        "x[0] = 1",
        "global y",
        "del x",
        "with x: pass",
        "try:\n        pass\n    except:\n        pass",
        "def g(): pass",
        "class A: pass",
        "yield x",
        "await x",
        "(y := x)",
        "print(x)",
        "raise ValueError",
        "x(*n)",
        "x(**n)",
        "for i in x: pass",
        "for i in tl.range(n).__iter__(): pass",
        "while True: break",
        "__y = x",
        "tl = x",
        "if n < 0: getattr = getattr(x, 'load')",
        "print = x",
        "tl.load(x, member=n)",
        "tl.load(x, _semantic=n)",
        "y: int = 1",
        "type(x)",
        "vars()",
        "float.fromhex('1')",
        "int.__subclasses__()",
        "max.__self__",
    ],
)
def test_what_leads_out_is_refused_with_its_line(body):
    with pytest.raises(language.LanguageError, match=r"^line [34]: ") as found:
        check(HEAD + "    " + body)
    assert found.value.line in (3, 4)


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(n):\n        if i > 3:\n            return x",
        "v = tl.store(x, 1.0)",
        "tl.load(x, mask=tl.debug_barrier())",
        "v = x.store(1.0)",
        "tl.assume(n > 3)",
        "tl.store(x, 1.0)\n    tl.debug_barrier()\n    tl.device_assert(n > 0)",
    ],
)
def test_what_leads_nowhere_is_left_to_tritons_compiler(body):
    check(HEAD + f"    {body}\n")


@pytest.mark.parametrize(
    "text",
    [
        "@triton.jit\ndef f(*x):\n    return x",
        "@triton.jit\ndef f(x, **y):\n    return x",
        "@triton.jit\ndef f(x, /):\n    return x",
        "@triton.jit\ndef f(*, x):\n    return x",
        "@triton.jit\ndef f(x: print('a')):\n    return x",
        "@triton.jit\ndef f(x=print('a')):\n    return x",
        "@triton.jit\ndef f(x) -> print('a'):\n    return x",
        "@triton.jit\ndef tl(x):\n    return x",
        "@triton.jit\ndef f(__x):\n    return __x",
    ],
)
def test_a_head_of_another_form_is_refused(text):
    with pytest.raises(language.LanguageError):
        check(text)


def test_names_from_around_it_are_plain():
    with pytest.raises(language.LanguageError, match="`__builtins__` cannot be used as a name"):
        check(HEAD + "    return x", "__builtins__")
