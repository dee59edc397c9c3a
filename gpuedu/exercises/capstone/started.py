"""A program of texts, ready to be run and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.programs import loaded
from gpuedu.exercises.training.quiet import quiet_torch


@contextmanager
def started(
    program: Mapping[str, str], label: str, wanted: str = "train"
) -> Iterator[Callable[..., Any]]:
    """The function ``run`` of a program's module ``wanted``; see ``programs.loaded``.

    Raises:
        AnswerError: there is none, or the program changed PyTorch, or asked it for what is not
            allowed.
    """
    from gpuedu.exercises.capstone.metering import recomputing_seen
    from gpuedu.exercises.capstone.operations import AllowedOperations
    from gpuedu.exercises.capstone.plain_values import PlainValues
    from gpuedu.exercises.capstone.untouched import torch_untouched

    with (
        quiet_torch(),
        torch_untouched(),
        AllowedOperations(),
        PlainValues(),
        recomputing_seen(),
        loaded(program, label, wanted) as module,
    ):
        run = getattr(module, "run", None)
        if not callable(run):
            raise AnswerError(f"{label}/{wanted}.py has no function `run`")
        yield run
