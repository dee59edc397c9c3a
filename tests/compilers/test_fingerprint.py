"""What a compilation depends on changes the digest, and nothing else does."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

from gpuedu.compilers.fingerprint import fingerprint

SOURCE = """
def kernel(a):
    a[0] = FACTOR * a[1] + OFFSET
"""


def made(source=SOURCE, name="kernel", file="cell-1", **scope):
    """A function from a text, in a scope of its own."""
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def closing_over(value):
    def kernel(a):
        a[0] = value

    return kernel


def device(function, **options):
    return types.SimpleNamespace(py_func=function, targetoptions=options)


def test_equal_content_has_one_digest():
    first, again = (
        made(FACTOR=3, OFFSET=4),
        made(FACTOR=3, OFFSET=4, file="cell-2", unused=object()),
    )
    assert first is not again
    assert fingerprint(first, ["float32"]) == fingerprint(again, ["float32"])
    assert len(fingerprint(first)) == 64


@pytest.mark.parametrize(
    "other",
    [
        made(FACTOR=3, OFFSET=5),
        made(FACTOR=3.0, OFFSET=4),
        made(FACTOR=np.int64(3), OFFSET=4),
        made(FACTOR=True, OFFSET=4),
        made(SOURCE.replace("a[1]", "a[2]"), FACTOR=3, OFFSET=4),
        made(SOURCE.replace("*", "-"), FACTOR=3, OFFSET=4),
        made("\n" + SOURCE, FACTOR=3, OFFSET=4),
        made(SOURCE.replace("(a)", "(a, b=1)"), FACTOR=3, OFFSET=4),
        made(FACTOR=3, OFFSET=np.array([4])),
        made(FACTOR=3),
    ],
)
def test_other_content_has_another_digest(other):
    assert fingerprint(other) not in (fingerprint(made(FACTOR=3, OFFSET=4)), None)


def test_what_else_is_given_counts():
    kernel = made(FACTOR=3, OFFSET=4)
    digests = {
        fingerprint(kernel, *further)
        for further in [(), (1,), ("1",), ([1],), ([1, {"a": True}],), ([1, {"a": 1}],), (None,)]
    }
    assert len(digests) == 7


def test_closures_count():
    assert fingerprint(closing_over(1)) != fingerprint(closing_over(2))
    assert fingerprint(closing_over((1, 2))) != fingerprint(closing_over((1, 3)))
    one, other = np.arange(4), np.arange(4)
    assert fingerprint(closing_over(one)) == fingerprint(closing_over(other))
    other[2] = 9
    assert fingerprint(closing_over(one)) != fingerprint(closing_over(other))


def test_device_functions_count_with_what_they_use():
    source = "def kernel(a):\n    a[0] = helper(a[1])\n"
    helper = "def helper(x):\n    return x * SCALE\n"

    def using(scale, **options):
        return made(source, helper=device(made(helper, "helper", SCALE=scale), **options))

    assert fingerprint(using(2)) == fingerprint(using(2))
    assert fingerprint(using(2)) not in (fingerprint(using(3)), None)
    assert fingerprint(using(2)) != fingerprint(using(2, inline="always"))


def test_functions_that_call_each_other_end():
    even = "def even(n):\n    return n == 0 or odd(n - 1)\n"
    odd = "def odd(n):\n    return n != 0 and even(n - 1)\n"
    scope = {}
    exec(even + odd, scope)
    assert fingerprint(scope["even"]) not in (fingerprint(scope["odd"]), None)


def test_libraries_count_by_name():
    source = "def kernel(a):\n    a[0] = m.sqrt(kind(a[1]))\n"
    digests = {
        fingerprint(made(source, m=m, kind=kind))
        for m in (math, np)
        for kind in (np.float32, np.float64, np.dtype("float32"), float, abs)
    }
    assert len(digests) == 10 and None not in digests


def test_unknown_content_has_no_digest():
    own = types.ModuleType("settings")
    own.TILE = 16
    source = "def kernel(a):\n    a[0] = settings.TILE\n"
    for unknown in (own, object(), np.array([None]), {1: object()}):
        assert fingerprint(made(source, settings=unknown)) is None
