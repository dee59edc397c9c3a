"""export-and-run: what can be exported, what the program gives, and what mends it.

All of it is tried with PyTorch in ``tests/exercises/serving/test_export_and_run.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

WORKS, RIGHT, ERROR, FROZEN = "works", "right", "error", "frozen"
EXPORTS = {
    "where on scores": WORKS,
    "number of scores": WORKS,
    "if on length": ERROR,
    "loop over length": ERROR,
    "loop over blocks": WORKS,
    "one text": ERROR,
}
CALLS = {
    "5 texts of 40": RIGHT,
    "1 text of 64": RIGHT,
    "1 text of 65": ERROR,
    "sharpen 2": ERROR,
    "temperature": FROZEN,
    "loaded weights": RIGHT,
    "another norm": FROZEN,
}
MENDS = {
    "if on scores": "torch.where",
    "if on length": "two exports",
    "sharpen 2": "tensor argument",
    "temperature": "buffer",
    "another norm": "load_state_dict",
}
TRUTHS: Mapping[str, Mapping[str, str]] = {"exports": EXPORTS, "calls": CALLS, "mends": MENDS}


def cases(rng: np.random.Generator) -> list[Case]:
    """One for each dict; nothing in it is drawn."""
    return [
        Case(f"`{name}`", {"ask": name, "names": list(truth)}, (name,), truth=dict(truth))
        for name, truth in TRUTHS.items()
    ]


def _test(case: Case, observed: Plain) -> Iterable[Fault]:
    """The first entry that is wrong, without what would be right, and how many more there are."""
    asked = case.inputs["ask"]
    wrong = [name for name, right in case.truth.items() if observed[name] != right]
    if wrong:
        more = f" ({len(wrong) - 1} more of its entries)" if len(wrong) > 1 else ""
        yield Fault(asked, f"not so: `{asked}[{wrong[0]!r}]` is {observed[wrong[0]]!r}{more}")


JUDGE = Judge(
    title="Out of Python",
    properties=(
        Property(
            "exports",
            "what can be exported",
            1,
            "What does that line have to know when `forward` runs with stand-ins: values, a size "
            "that was left open, or neither?",
            _test,
        ),
        Property(
            "calls",
            "what the exported program gives",
            1,
            "What does the program take from that call, what does it share with `scorer`, and what "
            "did it write down when it was exported?",
            _test,
        ),
        Property(
            "mends",
            "what to do instead",
            1,
            "Would the program see the new value then?",
            _test,
        ),
    ),
    hints=(
        "You can try all of it: export the class with the line, or call `program` and `scorer` "
        "with the same things, and compare. Tensors of the module are shared with the program.",
        "A stand-in has a size and a type, and no values. A size that is left open may have any "
        "value of its range, and `forward` has to do the same for all of them. (1 is special: an "
        "example with one text says nothing about several.)",
        "Whatever isn't a tensor becomes part of the program: an argument is compared with the one "
        "of the export, an attribute isn't looked at again. `load_state_dict` and `fill_` write "
        "into tensors; an assignment puts another one in their place.",
    ),
    cases=cases,
    predictions={
        "export-and-run": Prediction(
            "An `if` on the scores in `forward`: what does `export` make of it?",
            truth="an error",
            choices=("both branches", "the branch of the example", "an error"),
            because="The stand-ins have no values, so nobody knows which branch to take. Writing "
            "down just one of them would be wrong for other texts, and you would get no warning.",
        )
    },
    seeds=1,
)
