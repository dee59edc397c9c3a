"""autocast: its picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.exercises.mixed_precision.autocast.autocast_table import on_this_cpu
from gpuedu.exercises.mixed_precision.autocast.play import read_table


def write_table(runs_in: Mapping[str, Any], safe_loss: Callable[..., Any]) -> str:
    """The learner's table for CUDA beside what this CPU does, as a text."""
    table, here = read_table(runs_in), on_this_cpu()
    rows = [f"{'':26} CUDA, you say   this CPU"]
    for text, dtype in table.items():
        mark = "" if here[text] == dtype else "   other"
        rows.append(f"{text:26} {dtype:15} {here[text]}{mark}")
    count = sum(here[text] != dtype for text, dtype in table.items())
    told = f"{count} of {len(table)} differ; a wrong one of yours is counted, too."
    return "\n".join([*rows, "", f"{told} The CPU's were computed here."])


PICTURE = write_table
