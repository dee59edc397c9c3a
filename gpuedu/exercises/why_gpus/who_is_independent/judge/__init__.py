"""who-is-independent: the longest chain of dependent steps of ten loops, as written and at best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.why_gpus.who_is_independent.loops import MENU, NAMES

_MERGE = (
    "Can two steps in a row be written as one step of the same kind? If so, how many rounds does "
    "it take to merge n of them in pairs?"
)
_NO_MERGE = "Try it for two steps: is what they do together again of the same kind, or bigger?"


@dataclass(frozen=True)
class Chains:
    """One loop's two answers, and for each the question that every other word runs into."""

    as_written: str
    best_known: str
    written_asks: str
    best_asks: str


CHAINS: Mapping[str, Chains] = {
    "saxpy": Chains(
        "1",
        "1",
        "`out[7]` needs `x[7]` and `y[7]`. Does any step read what another step wrote?",
        "If no step waits as it is written, what is left to improve?",
    ),
    "blur": Chains(
        "1",
        "1",
        "`out[7]` needs `x[6]`, `x[7]` and `x[8]`. Who writes those: an earlier step, or nobody?",
        "If no step waits as it is written, what is left to improve?",
    ),
    "grand_total": Chains(
        "n**2",
        "log n",
        "There is one `total`, and each addition to it needs the one before. How many additions "
        "are there in a matrix of n rows and n columns?",
        "An addition does not care about order. " + _MERGE,
    ),
    "pairwise": Chains(
        "log n",
        "log n",
        "In one round all additions are independent, and the next round needs them. How many "
        "rounds are there for 1024 elements?",
        "One result needs all n elements, and a step combines two. How few rounds can that be?",
    ),
    "prefix": Chains(
        "n",
        "log n",
        "`out[7]` needs `out[6]`, which needs `out[5]`. Where does that end?",
        "Each `out[i]` is a sum, and sums of neighboring stretches can be added. " + _MERGE,
    ),
    "horner": Chains(
        "n",
        "log n",
        "`p` on the left needs `p` on the right. How often is it replaced?",
        "A step maps `p` to `p * x + c[i]`. What do two such steps in a row map `p` to? " + _MERGE,
    ),
    "smooth": Chains(
        "n",
        "log n",
        "`x[6]` has been replaced by the time `x[7]` reads it. Is that the same as in `blur`?",
        "A step maps the element before, v, to `(v + x[i]) / 2`. What do two such steps in a row "
        "map v to? " + _MERGE,
    ),
    "chase": Chains(
        "n",
        "log n",
        "Where the third hop starts is known only after the second. How many hops are there?",
        "From a table of where one hop leads from every place, can you make a table of where two "
        "hops lead? And from that one, of four?",
    ),
    "logistic": Chains(
        "n",
        "n",
        "`x` on the left needs `x` on the right. How often is it replaced?",
        "Two updates make a polynomial of degree 4 in `x`, three make one of degree 8. "
        + _NO_MERGE,
    ),
    "rnn": Chains(
        "n",
        "n",
        "`h` on the left needs `h` on the right. How often is it replaced?",
        "Two steps are a `tanh` inside a `tanh`. " + _NO_MERGE,
    ),
}


def cases(rng: np.random.Generator) -> list[Case]:
    """A case for each loop; the words do not depend on chance."""
    return [
        Case(f"`{name}`", {"loop": name}, (_group("written", name), _group("best", name)))
        for name in NAMES
    ]


def _group(column: str, name: str) -> str:
    return f"{column}-{'first' if NAMES.index(name) < 5 else 'last'}"


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Both words of one loop, each by itself; a word off the menu comes with what to say."""
    name = case.inputs["loop"]
    truth = CHAINS[name]
    written, best = observed["as_written"], observed["best_known"]
    if not written:
        yield Fault(_group("written", name), observed["as_written_fault"])
    elif written != truth.as_written:
        said = f'you say that the chain of `{name}` as written grows like "{written}"'
        yield Fault(_group("written", name), said, truth.written_asks)
    if not best:
        yield Fault(_group("best", name), observed["best_known_fault"])
    elif best != truth.best_known:
        said = (
            f'you say that the best known way to do the work of `{name}` has a chain like "{best}"'
        )
        if MENU.index(best) > MENU.index(truth.as_written):
            said += ", which is worse than the loop as written"
        yield Fault(_group("best", name), said, truth.best_asks)


JUDGE = Judge(
    title="Which steps must wait for which?",
    properties=(
        Property("written-first", "as written: saxpy, blur, grand_total, pairwise, prefix", 1),
        Property("written-last", "as written: horner, smooth, chase, logistic, rnn", 1),
        Property("best-first", "best known: saxpy, blur, grand_total, pairwise, prefix", 1),
        Property("best-last", "best known: horner, smooth, chase, logistic, rnn", 1),
    ),
    hints=(
        "Pick the last value that the loop computes. Which value does it need, and which one did "
        "that need? Count how long you can go on, and how that grows when n doubles.",
        "As written: a variable that is replaced from itself makes a chain as long as there are "
        "replacements. Best known: if two steps merge into one step of the same kind, n steps "
        "merge in pairs, in log n rounds.",
        "Every loop but `saxpy`, `blur` and `pairwise` carries a value from step to step. Sums, "
        "maps of the form `u * v + w` and tables of hops merge in pairs; a `tanh` of a `tanh` and "
        "a growing polynomial do not.",
    ),
    cases=cases,
    verdict=verdict,
)
