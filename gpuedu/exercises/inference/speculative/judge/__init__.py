"""speculative: guesses of a small model, kept so that the text has the large one's distribution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.exercises.inference.speculative.judge.chains import law_cases, tokens_law
from gpuedu.exercises.inference.speculative.judge.rounds_drawn import (
    formula_cases,
    residual_of,
    round_cases,
)


def expected(acceptance: float, k: int) -> float:
    """Tokens of a round."""
    return sum(acceptance**place for place in range(k + 1))


def faster(acceptance: float, k: int, draft_cost: float) -> float:
    """How many times as fast as the target alone."""
    return expected(acceptance, k) / (1 + k * draft_cost)


def best(acceptance: float, draft_cost: float, most: int) -> int:
    """The first of the fastest."""
    return max(range(most + 1), key=lambda k: faster(acceptance, k, draft_cost))


def _unless_repeated(prop: Property) -> Property:
    """Where all guesses are accepted, what it is made from has to be right before it is asked."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        inputs, beside = case.inputs, observed["beside"]
        if beside:
            k = inputs.get("k", inputs.get("most"))
            truths = (expected(1.0, k), faster(1.0, k, inputs["draft_cost"]))
            if not np.allclose(beside, truths[: len(beside)]):
                return
        yield from prop.test(case, observed) if prop.test else ()

    return replace(prop, test=test)


_TRUTHS = {"expected_tokens": expected, "speedup": faster, "best_k": best}


def cases(rng: np.random.Generator) -> list[Case]:
    """Residuals, single rounds, all rounds of small chains, and the formulas."""
    residuals = []
    for size in (5, 3, 2):
        p, q = rng.dirichlet(np.ones(size), 2)
        residuals.append(call_case("residual", "residual", p=p, q=q))
    apart = np.array([0.0, 0.3, 0.0, 0.7]), np.array([0.4, 0.0, 0.6, 0.0])
    residuals.append(call_case("residual", "residual", p=apart[0], q=apart[1]))
    return [*residuals, *round_cases(rng), *law_cases(rng), *formula_cases(rng)]


def test_residual(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Against the positive part, divided by its sum."""
    truth = residual_of(case.inputs["p"], case.inputs["q"])
    yield from array_fault(
        "residual", observed["residual"], truth, tolerance=1e-12, name="residual(p, q)"
    )


def test_kept(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The guesses that come out are those before the first rejection."""
    kept, came = case.truth[:-1], observed["tokens"]
    if came[: len(kept)] != kept or len(came) > len(kept) + 1:
        yield Fault("kept", f"{_told(case, came)}. {_what_is_wrong(case, kept, came)}")


def _what_is_wrong(case: Case, kept: list[int], came: list[int]) -> str:
    """The first accepted guess that is not in its place, or what comes after all of them."""
    for place, guess in enumerate(kept):
        if came[place : place + 1] != [guess]:
            return f"Guess {place}, the token {guess}, is accepted and isn't in its place"
    tokens = case.inputs["tokens"]
    if len(kept) == len(tokens):
        return "All guesses are accepted, and one token comes after them"
    place = len(kept)
    return (
        f"Guess {place}, the token {tokens[place]}, is rejected, and one token comes in its place"
    )


def test_last(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The token that comes out after the guesses."""
    kept, came = case.truth[:-1], observed["tokens"]
    if came[: len(kept)] != kept or len(came) > len(kept) + 1:
        yield Undecided("last", "the guesses that come out are not right yet")
    elif came[len(kept) : len(kept) + 1] != case.truth[-1:]:
        yield Fault("last", f"{_told(case, came)}, expected {case.truth}")


def _told(case: Case, came: list[int]) -> str:
    """The round in numbers, and what came out."""
    inputs = case.inputs
    tokens, rows = inputs["tokens"], np.arange(len(inputs["tokens"]))
    ratios = inputs["p"][rows, tokens] / inputs["q"][rows, tokens]
    shown = ", ".join(f"{one:.2f}" for one in ratios)
    uniforms = ", ".join(f"{one:.2f}" for one in inputs["uniforms"])
    return f"guesses {tokens} with p / q = {shown} and uniforms {uniforms} gave {came}"


JUDGE = Judge(
    title="Guess ahead, and keep the distribution",
    properties=(
        Property(
            "residual",
            "`residual`: what is missing where q is too small, as a distribution",
            1,
            "Where is p larger than q, and by how much? What do the numbers of a distribution add "
            "up to?",
            test_residual,
        ),
        Property(
            "kept",
            "the result has the guesses before the first rejection, and then one token more",
            1,
            "Go through the guesses from the left. Which of them are accepted, and what happens to "
            "those after one that is not?",
            test_kept,
        ),
        Property(
            "last",
            "the last token is drawn from the right distribution",
            1,
            "Draw the last token by hand. Which place of the text is it for, which distribution is "
            "it drawn from, and with which of the uniforms?",
            test_last,
            waits_for=("residual",),
        ),
        Property(
            "law",
            "over all guesses and uniforms, the text has the target's distribution",
            2,
            "In one place, how often should a token come out as an accepted guess, and how often "
            "in place of a rejected one?",
            tokens_law,
            waits_for=("residual", "kept"),
        ),
        right_result(
            "expected",
            "`expected_tokens`: the mean over many rounds",
            1,
            _TRUTHS,
            asks="When does a round give a second token? And a third one?",
            unit="tokens",
        ),
        _unless_repeated(
            right_result(
                "speedup",
                "`speedup` over the target alone",
                1,
                _TRUTHS,
                asks="Which passes does a round take, how long is each, and how many tokens does "
                "it give?",
            ),
        ),
        _unless_repeated(
            right_result(
                "best",
                "`best_k` finds the fastest number of guesses",
                1,
                _TRUTHS,
                asks="Which numbers of guesses are allowed, and did you try the first and the last "
                "of them, too?",
            ),
        ),
    ),
    hints=(
        "Draw two distributions of three tokens as bars. Where the draft's bar is higher, some of "
        "its guesses must go; where it's lower, something is missing. The two areas are equal.",
        "Go through the guesses x with an index i. If `uniforms[i] < p[i, x] / q[i, x]`, then x "
        "comes out. Otherwise one token comes from `residual(p[i], q[i])`, and the round is over. "
        "If the loop gets to its end, one comes from `p[k]`.",
        "The first i guesses are all accepted with probability `acceptance**i`, and then there is "
        "one token more. So the mean is the sum of these powers, for i from 0 to k.",
    ),
    cases=cases,
    predictions={
        "speculative": Prediction(
            "Guesses are accepted with probability 0.8. How many tokens does a round with 4 of "
            "them give on average?",
            truth=3.3616,
            unit="tokens",
            because="One always comes, and one more for each further guess in a row that is "
            "accepted: 1 + 0.8 + 0.8^2 + 0.8^3 + 0.8^4.",
        )
    },
)
