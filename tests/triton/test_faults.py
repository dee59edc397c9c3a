"""Faults that were planted into kernels are found, at their line, and nothing else is."""

from __future__ import annotations

import inspect
import re

import pytest
import torch

from gpuedu.triton import simulate
from tests.triton import faults

NAMES = [name for name, one in vars(faults).items() if hasattr(one, "run")]
ALONE = {"load_what_is_masked_off", "maximum_of_what_is_masked_off", "float32_by_tf32"}
"""By one program: of several, each would write the same."""
SPECIAL = {
    "released_too_early": lambda: (torch.ones(4 * 128), torch.zeros(128), torch.zeros(1).int()),
    "rows_in_place_of_columns": lambda: (torch.ones(8 * 100), torch.zeros(8 * 100), 8, 100),
}


def planted(name):
    """The kinds and the lines of a fault."""
    lines, first = inspect.getsourcelines(getattr(faults, name).fn)
    marked = [(re.search(r"#\s*([\w-]+)$", line.rstrip()), at) for at, line in enumerate(lines)]
    return {(found[1], first + at) for found, at in marked if found}


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_found_at_its_line(name):
    n = 100 if name in ALONE else 500
    given = SPECIAL.get(name, lambda: (torch.arange(float(500)), torch.zeros(500), n))()
    programs = 1 if name in ALONE else 4
    trace = simulate(getattr(faults, name), programs, 128, *given, BLOCK=128)
    found = {(one.kind, one.place.line) for one in trace.findings}
    assert found == planted(name)
    assert all(one.remedy for one in trace.findings)
