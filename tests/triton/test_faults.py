"""Faults that were planted into kernels are found, at their line, and nothing else is."""

from __future__ import annotations

import inspect
import re

import pytest
import torch
import triton
import triton.language as tl

from gpuedu.triton import simulate
from tests.triton import faults, kernels

NAMES = [
    name
    for name, one in vars(faults).items()
    if hasattr(one, "run") and name not in ("writes_then_reads", "rows_to_spare")
]
ALONE = {
    *("load_what_is_masked_off", "maximum_of_what_is_masked_off", "float32_by_tf32"),
    *("running_sum_over_a_ragged_end", "decides_by_what_is_masked_off", "the_first_of_two_loads"),
    "product_over_a_ragged_end",
}
"""By one program: of several, each would write the same."""
SPECIAL = {
    "released_too_early": lambda: (torch.ones(4 * 128), torch.zeros(128), torch.zeros(1).int()),
    "rows_in_place_of_columns": lambda: (torch.ones(8 * 100), torch.zeros(8 * 100), 8, 100),
    "mask_of_the_other_axis": lambda: (torch.ones(4, 100), torch.zeros(4, 100), 4, 100),
    "product_over_a_ragged_end": lambda: (torch.ones(16 * 16), torch.zeros(16 * 16), 10),
    "gathers_by_a_bad_index": lambda: (
        *(torch.ones(500), torch.zeros(500)),
        *(torch.arange(500).roll(1).int() + 1, 500),
    ),
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


def test_what_nobody_has_written_is_told_where_it_is_read():
    x, out = torch.ones(4, 64), torch.empty(64)
    given = (x, out, torch.zeros(1).int())
    trace = simulate(kernels.sum_behind_a_lock, 1, 128, *given, unwritten=("out",), BLOCK=64)
    (found,) = trace.findings
    assert found.kind == "uninitialised-read"
    assert (found.array, found.index, found.count) == ("out", (0,), 64)
    counts = torch.empty(10, dtype=torch.int32)
    given = (torch.zeros(64).int(), counts, 64)
    trace = simulate(kernels.histogram, 1, 128, *given, unwritten=("counts",), BLOCK=64)
    assert [one.kind for one in trace.findings] == ["uninitialised-read"]


def test_what_a_program_has_written_it_may_read():
    whole = torch.empty(2, 64)
    given = (whole[0], whole[1], 64)
    trace = simulate(faults.writes_then_reads, 1, 32, *given, unwritten=("x", "out"), BLOCK=64)
    assert trace.hazards == ()
    assert whole.tolist() == [[1.0] * 64, [2.0] * 64]


def test_rows_that_nobody_stores_may_be_undefined():
    x, out = torch.randn(6, 32), torch.zeros(6)
    trace = simulate(faults.rows_to_spare, 2, 128, x, out, 6, 32, BLOCK=32)
    assert trace.findings == ()
    assert torch.allclose(out, (x - x.max(1, keepdim=True)[0]).exp().sum(1))


def test_the_line_where_undefined_values_met_others_is_told():
    given = (torch.ones(500), torch.zeros(500), 100)
    trace = simulate(faults.the_first_of_two_loads, 1, 128, *given, BLOCK=128)
    (found,) = trace.findings
    assert found.other_place.line == found.place.line
    assert found.count == 28


@triton.jit
def makes_the_bits(out, BLOCK: tl.constexpr):
    bits = tl.full((BLOCK,), 0x7FEB1234, tl.int32)
    tl.store(out + tl.arange(0, BLOCK), bits.to(tl.float32, bitcast=True))


def test_bits_that_a_kernel_makes_itself_are_of_no_load():
    trace = simulate(makes_the_bits, 1, 32, torch.zeros(32), BLOCK=32)
    assert (trace.complete, trace.findings) == (True, ())
