"""export-and-run: which sizes a program takes, and whether it gives the module's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.figures.caption import Caption
from gpuedu.figures.outcome_grid import Outcome, plot_outcomes

_TEXTS, _LENGTHS = (1, 2, 3, 5, 8), (1, 8, 16, 17, 32, 48, 64, 65)


def draw_or_tell(module: Callable[..., Any], program: Callable[..., Any] | None = None) -> Any:
    """A grid of sizes with what the program gives for each; without one, what `export` says.

    Args:
        module: the lesson's, or one like it.
        program: what was exported of it, as a module.
    """
    if program is None:
        return _tell(module)
    rows = [[_outcome(module, program, texts, length) for length in _LENGTHS] for texts in _TEXTS]
    counts = {one: sum(row.count(one) for row in rows) for one in Outcome}
    told = ", ".join(f"{count} {one.value}" for one, count in counts.items())
    caption = Caption(
        title="What the program gives, by the number of texts and their length",
        x="characters of a text",
        y="texts",
        source="Run on this machine, each size once. The same numbers: the module's, to within "
        "1e-5.",
        alt=f"A grid of {len(_TEXTS)} numbers of texts by {len(_LENGTHS)} lengths: {told}.",
    )
    return plot_outcomes(rows, _TEXTS, _LENGTHS, caption=caption)


def _outcome(module: Callable[..., Any], program: Callable[..., Any], *size: int) -> Outcome:
    import torch

    from gpuedu.exercises.serving.export_and_run.picture_trials import SHARPEN, example

    characters = example(*size)
    with torch.no_grad():
        try:
            got = program(characters, SHARPEN)
        except Exception:  # whatever a refusal is
            return Outcome.REFUSED
        try:
            wanted = module(characters, SHARPEN)
        except Exception:  # the module itself takes no such text
            return Outcome.OTHER
    is_same = got.shape == wanted.shape and torch.allclose(got, wanted, atol=1e-5)
    return Outcome.SAME if is_same else Outcome.OTHER


def _tell(module: Any) -> str:
    import torch

    from gpuedu.exercises.serving.export_and_run.picture_trials import export_quietly, why_refused

    if not isinstance(module, torch.nn.Module):
        raise AnswerError("`export` takes a module of PyTorch", remedy="Such as `scorer`.")
    try:
        exported = export_quietly(module)
    except Exception as fault:  # of many classes
        return f"`export` refuses it, by a {type(fault).__name__}.\n{why_refused(fault)}"
    calls = sum(node.op == "call_function" for node in exported.graph.nodes)
    return f"`export` wrote down {calls} operations, with the number and the length of texts open."


PICTURE = draw_or_tell
