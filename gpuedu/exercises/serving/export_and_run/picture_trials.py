"""Exporting the lesson's module, without the pages that PyTorch prints where it refuses."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from typing import Any

import torch
from torch.export import Dim, ExportedProgram, export

VOCABULARY, LONGEST, SHARPEN = 97, 64, 1.5
"""Of the lesson's model; the number with which its module is exported."""
_CALL, _AFTER = "The following call raised this error:", "The error above occurred"


def example(texts: int = 2, length: int = 16) -> torch.Tensor:
    """Characters of some texts, always the same ones.

    >>> example(1, 4).shape
    torch.Size([1, 4])
    """
    drawn = torch.Generator().manual_seed(texts * 1000 + length)
    return torch.randint(VOCABULARY, (texts, length), generator=drawn)


def export_quietly(module: torch.nn.Module, **sizes: Any) -> ExportedProgram:
    """Export with the numbers of texts and of their characters left open.

    Args:
        module: takes characters (texts, length), and a number.
        **sizes: ``texts`` and ``length`` of the example; ``first`` and ``last`` of the lengths.
    """
    length = Dim("length", min=sizes.pop("first", None), max=sizes.pop("last", LONGEST))
    shapes = ({0: Dim("batch"), 1: length}, None)
    with quiet():
        return export(module, (example(**sizes), SHARPEN), dynamic_shapes=shapes)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Nothing printed, and no warning logged."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)


def why_refused(fault: Exception) -> str:
    r"""What the first lines of a refusal say, and the line of code that it names.

    >>> print(why_refused(RuntimeError("Constraints violated (n)!\n  - You marked n as dynamic.")))
    Constraints violated (n)!
    You marked n as dynamic.
    """
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    said = [lines[0].partition(" (unhinted")[0]]
    said += [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    called = lines[lines.index(_CALL) + 1 :][:2] if _CALL in lines else []
    if len(called) == 2 and not called[1].startswith(_AFTER):  # its source may not be known
        said.append(f"The line: {called[1]}")
    return "\n".join(said)
