"""online-softmax: attention of one row whose scores come in blocks, each of them once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Plain, Prediction, Property

_WIDTH = 4
_EVEN = (0, 8, 16, 24, 32)


def cases(rng: np.random.Generator) -> list[Case]:
    """Rows in blocks: of any size, rising to a thousand, with scores and blocks that take no part.

    Of some rows a part is there as a state alone, and was never a block.
    """
    found = [
        _case(rng, "four blocks of 8", 2 * rng.normal(size=32), _EVEN, "right"),
        _case(rng, "one block", 2 * rng.normal(size=5), (0, 5), "right"),
        _case(
            rng, "blocks of 1, 13, 3 and 1", 2 * rng.normal(size=18), (0, 1, 14, 17, 18), "right"
        ),
    ]
    scores = 2 * rng.normal(size=32)
    scores[::3] = -np.inf
    found.append(_case(rng, "every third score takes no part", scores, _EVEN, "right"))
    for says, step in (("rise", 50.0), ("fall", -50.0)):
        scores = step * np.arange(32) + rng.normal(size=32)
        found.append(_case(rng, f"scores that {says} by 50", scores, _EVEN, "safe"))
    for says, step in (("rise", 9.0), ("fall", -9.0)):
        scores = step * np.repeat(np.arange(4), 8) + rng.normal(size=32)
        found.append(_case(rng, f"blocks that {says} by 9", scores, _EVEN, "right"))
    for first, second in ((0.0, 6.0), (6.0, 0.0)):
        scores = rng.normal(size=32) + np.repeat([first, second], 16)
        found.append(_case(rng, "two halves 6 apart", scores, _EVEN, "merge", parts=(0, 2, 4)))
    found.append(_case(rng, "scores around -2,000", rng.normal(size=32) - 2000, _EVEN, "safe"))
    scores = rng.permutation(50.0 * np.arange(32))
    found.append(_case(rng, "scores from 0 to 1,550 in any order", scores, _EVEN, "safe"))
    for says, hidden in (
        ("the first block takes no part", slice(0, 8)),
        ("the second block takes no part", slice(8, 16)),
        ("the first two blocks take no part", slice(0, 16)),
    ):
        scores = 2 * rng.normal(size=32)
        scores[hidden] = -np.inf
        found.append(_case(rng, says, scores, _EVEN, "masked"))
    for first, second in ((0.0, 0.0), (0.0, 900.0), (900.0, 0.0), (-900.0, -900.0)):
        scores = 2 * rng.normal(size=32) + np.repeat([first, second], 16)
        says = f"two halves, around {first:.0f} and {second:.0f}"
        found.append(_case(rng, says, scores, _EVEN, "merge", parts=(0, 2, 4)))
    for says, hidden, parts in (
        ("the first one", slice(0, 16), (0, 2, 4)),
        ("the second one", slice(16, 32), (0, 2, 4)),
        ("the first two of three", slice(0, 16), (0, 1, 2, 4)),
    ):
        scores = 2 * rng.normal(size=32)
        scores[hidden] = -np.inf
        says = f"parts, of which {says} take{'' if 'two' in says else 's'} no part"
        found.append(_case(rng, says, scores, _EVEN, "merge", parts=parts))
    found.append(
        _case(rng, "four blocks after a state", 2 * rng.normal(size=40), _EVEN, "right", first=8)
    )
    scores = 2 * rng.normal(size=40) + np.repeat([900.0, 0.0], 20)
    says = "two parts, and a state of a third one"
    found.append(_case(rng, says, scores, _EVEN, "merge", parts=(0, 2, 4), last=8))
    return found


def _case(
    rng: np.random.Generator,
    label: str,
    scores: np.ndarray,
    cuts: tuple[int, ...],
    decides: str,
    parts: tuple[int, ...] | None = None,
    *,
    first: int = 0,
    last: int = 0,
) -> Case:
    """A row; of its ``first`` and ``last`` scores the functions get no more than the state."""
    values = rng.normal(size=(scores.size, _WIDTH))
    powers = np.exp(scores - scores.max())
    end = scores.size - last
    inputs = {"scores": scores[first:end], "values": values[first:end], "cuts": list(cuts)}
    inputs["parts"] = list(parts or (0, len(cuts) - 1))
    if first:
        inputs["first"] = _state(scores[:first], values[:first])
    if last:
        inputs["last"] = _state(scores[end:], values[end:])
    return Case(label, inputs, (decides,), truth=powers @ values / powers.sum())


def _state(scores: np.ndarray, values: np.ndarray) -> dict[str, float | np.ndarray]:
    powers = np.exp(scores - scores.max())
    largest, total = float(scores.max()), float(powers.sum())
    return {"largest": largest, "total": total, "weighted": powers @ values}


def _result(name: str, says: str, points: float, asks: str) -> Property:
    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        got = observed["result"]
        yield from array_fault(name, got, case.truth, tolerance=1e-9, name="result")

    after = () if name == "right" else ("right",)
    return Property(name, says, points, asks, test, after)


JUDGE = Judge(
    title="A softmax over blocks that are seen once",
    properties=(
        _result(
            "right",
            "after all blocks, the result is the softmax of all scores, times the values",
            2,
            "Take two blocks of one score each. Relative to what is each power in the sum, before "
            "and after the second block?",
        ),
        _result(
            "safe",
            "it is right where scores rise to 1,500, or fall by as much",
            1,
            "Of which numbers does your code take `exp`, and how large can they get?",
        ),
        _result(
            "masked",
            "a block whose scores are all -inf changes nothing, even if it comes first",
            1,
            "What is the largest score after such a block, and what is `-inf - (-inf)`?",
        ),
        _result(
            "merge",
            "`merge` of the states of two halves gives the state of the whole",
            2,
            "Each of the two states is relative to its own largest score. Relative to which one "
            "is the state of both?",
        ),
    ),
    hints=(
        "One factor turns a sum of powers relative to the old largest score m into one relative to "
        "the new one: exp(m - new). The weighted values get the same factor.",
        "`update`: the new largest is the maximum of the old one and the block's. Shrink `total` "
        "and `weighted` by `exp(largest - new)`, then add the block's powers, and the powers times "
        "the values.",
        "`merge` shrinks both states in this way, to the larger of the two. Where that is -inf, "
        "nothing has come yet: return the state that you were given.",
    ),
    cases=cases,
    predictions={
        "online-softmax": Prediction(
            "A row of 100,000 scores comes in blocks, and you see each block once. For the sum of "
            "`exp(score - largest)`, how many numbers must you keep between blocks?",
            truth=2,
            unit="numbers",
            because="The largest score so far, and the sum of the powers relative to it.",
            exact=True,
        ),
    },
)
