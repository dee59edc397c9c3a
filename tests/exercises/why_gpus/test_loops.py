"""The chains of who-is-independent, measured: each loop runs on numbers that track their chain.

The column "as written" is proved by growth from n to 2n. Of the column "best known", what is
claimed to be short is proved by an algorithm that gives the loop's result with a chain as short;
that nobody knows a shorter one for `logistic` and `rnn` cannot be proved by a test.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.exercises.why_gpus.who_is_independent import loops
from gpuedu.exercises.why_gpus.who_is_independent.judge import CHAINS
from tests.exercises.why_gpus.tracked import Links, Tracked, depth_of, tracked, value_of

SIZES = (16, 32, 64)


def inputs_of(name, n):
    """Arguments of a loop for size n, and how to read its result from them and what it returns."""
    rng = np.random.default_rng([n, *name.encode()])
    x, out = tracked(rng.uniform(0.1, 0.9, n)), tracked(np.zeros(n))
    return {
        "saxpy": ((Tracked(2.0), x, tracked(rng.normal(size=n)), out), out),
        "blur": ((x, out), out),
        "grand_total": ((tracked(rng.normal(size=(n, n))),), None),
        "pairwise": ((x,), None),
        "prefix": ((x, out), out),
        "horner": ((tracked(rng.normal(size=n)), Tracked(0.9)), None),
        "smooth": ((x,), x),
        "chase": ((Links(int(i) for i in rng.permutation(n)), Tracked(0)), None),
        "logistic": ((3.7, Tracked(0.3), n), None),
        "rnn": ((Tracked(0.8), x), None),
    }[name]


def run(name, n):
    """The loop's result at size n, still tracked."""
    loop = next(loop for loop in loops.LOOPS if loop.name == name)
    arguments, written = inputs_of(name, n)
    returned = loop.run(*arguments)
    return returned if written is None else written


def growth(depths):
    """The word of the menu that three chain lengths, at n, 2n and 4n, follow; None for no word."""
    a, b, c = depths
    if a == b == c:
        return "1"
    if b - a == c - b:
        return "log n"
    return {2: "n", 4: "n**2"}.get(round((c - b) / (b - a)))


@pytest.mark.parametrize(
    ("depths", "word"),
    [
        ((3, 3, 3), "1"),
        ((4, 5, 6), "log n"),
        ((15, 31, 63), "n"),
        ((256, 1024, 4096), "n**2"),
        ((64, 512, 4096), None),
    ],
)
def test_growth_tells_the_words_apart(depths, word):
    assert growth(depths) == word


def test_a_tracked_number_counts_the_longest_way():
    a, b = Tracked(2.0), Tracked(3.0)
    late = a + b * b
    assert (late.value, late.depth) == (11.0, 2)
    assert (1 - a).value == -1.0
    assert depth_of([a, late, b]) == 2


@pytest.mark.parametrize("name", loops.NAMES)
def test_chain_as_written(name):
    depths = [depth_of(run(name, n)) for n in SIZES]
    assert growth(depths) == CHAINS[name].as_written, depths


# The best known chains: each function gives what the loop gives, on tracked numbers.


def tree(items, merge):
    """Merge neighbors in pairs, round after round."""
    items = list(items)
    while len(items) > 1:
        pairs = [merge(a, b) for a, b in zip(items[::2], items[1::2], strict=False)]
        items = pairs + ([items[-1]] if len(items) % 2 else [])
    return items[0]


def scan(items, merge):
    """All prefixes at once: each round merges with the neighbor twice as far away."""
    items, step = list(items), 1
    while step < len(items):
        items = [merge(items[i - step], b) if i >= step else b for i, b in enumerate(items)]
        step *= 2
    return items


def merge_affine(first, then):
    """u -> a*u + b, and after it u -> c*u + d, as one map of the same kind."""
    return first[0] * then[0], then[0] * first[1] + then[1]


def add(a, b):
    return a + b


def best_grand_total(x):
    return tree(np.ravel(x), add)


def best_prefix(x, _out):
    return scan(x, add)


def best_horner(c, x):
    return tree([(x, c[i]) for i in range(len(c))], merge_affine)[1]


def best_smooth(x):
    half = Tracked(0.5)
    maps = [(Tracked(0.0), x[0])] + [(half, value * half) for value in x[1:]]
    return [constant for _, constant in scan(maps, merge_affine)]


def best_chase(next_of, start):
    """Tables of 1, 2, 4, ... hops, each from the one before; the bits of n say which to use."""
    table, hops, place = Links(Tracked(i) for i in next_of), len(next_of), start
    while hops:
        if hops % 2:
            place = _hop(table, place)
        table = Links(_hop(table, to) for to in table)
        hops //= 2
    return place


def _hop(table, place):
    there = list.__getitem__(table, int(place.value))
    return Tracked(there.value, max(there.depth, place.depth) + 1)


BEST = {
    "grand_total": best_grand_total,
    "prefix": best_prefix,
    "horner": best_horner,
    "smooth": best_smooth,
    "chase": best_chase,
}


@pytest.mark.parametrize("name", BEST)
def test_a_shorter_chain_gives_the_same(name):
    depths = []
    for n in SIZES:
        arguments, _ = inputs_of(name, n)
        best = BEST[name](*arguments)
        depths.append(depth_of(best))
        got = [value_of(number) for number in np.ravel(np.array(best, dtype=object))]
        expected = [value_of(number) for number in np.ravel(np.array(run(name, n), dtype=object))]
        assert got == pytest.approx(expected)
    assert growth(depths) == CHAINS[name].best_known == "log n", depths


@pytest.mark.parametrize("name", sorted(set(loops.NAMES) - set(BEST)))
def test_the_other_loops_are_at_their_best_as_written(name):
    assert CHAINS[name].best_known == CHAINS[name].as_written


def test_updates_of_logistic_do_not_merge_into_their_kind():
    """k updates of x -> r*x*(1-x) are a polynomial of degree 2**k: a merged step grows."""
    polynomial, r = np.polynomial.Polynomial([0, 1]), 3.7
    degrees = []
    for _ in range(4):
        polynomial = r * polynomial * (1 - polynomial)
        degrees.append(polynomial.degree())
    assert degrees == [2, 4, 8, 16]


def test_every_loop_is_listed_with_its_source():
    assert len(loops.NAMES) == len(set(loops.NAMES)) == 10
    assert set(CHAINS) == set(loops.NAMES)
    text = loops.listing()
    for loop in loops.LOOPS:
        assert f"def {loop.name}(" in text
        assert loop.n_is in text


def test_loops_compute_what_they_say():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 16))
    out = np.zeros(16)
    loops.saxpy(2.0, x, y, out)
    assert out == pytest.approx(2 * x + y)
    loops.prefix(x, out)
    assert out == pytest.approx(np.cumsum(x))
    assert loops.pairwise(x) == pytest.approx(x.sum())
    assert loops.grand_total(np.outer(x, y)) == pytest.approx(x.sum() * y.sum())
    assert loops.horner(x, 0.9) == pytest.approx(np.polyval(x, 0.9))
    assert loops.logistic(2.0, 0.5, 100) == pytest.approx(0.5)
    ring = [(i + 1) % 16 for i in range(16)]
    assert loops.chase(ring, 3) == 3
    out = np.zeros(16)
    loops.blur(x, out)
    assert out[1:-1] == pytest.approx((x[:-2] + x[1:-1] + x[2:]) / 3)
    assert loops.rnn(0.0, x) == pytest.approx(math.tanh(x[-1]))
    smoothed = x.copy()
    loops.smooth(smoothed)
    assert smoothed[2] == pytest.approx(x[0] / 4 + x[1] / 4 + x[2] / 2)
