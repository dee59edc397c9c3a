"""What a trace says, from traces that are written down by hand."""

from __future__ import annotations

import pytest

from gpuedu.training.memory import (
    Block,
    Mark,
    MemoryTrace,
    Reading,
    end_of,
    ledger_at,
    peak,
    peak_bytes,
    points,
)

BLOCKS = (
    Block("weights", 100, 0, layer="a"),
    Block("activations", 30, 1, 5, layer="a", line="m.py:3"),
    Block("activations", 20, 2, 4, layer="b", line="m.py:7"),
    Block("gradients", 60, 3, layer="a"),
    Block("activations", 5, 6, layer="a", line="m.py:4"),
)
MARKS = (Mark(1, "forward"), Mark(3, "backward"), Mark(6, "forward"))
TRACE = MemoryTrace(BLOCKS, MARKS, ticks=7)


def test_bytes_live_from_their_birth_until_before_their_end():
    assert [point.live_bytes for point in points(TRACE)] == [100, 130, 150, 210, 190, 160, 165]
    assert points(TRACE)[4].by_kind["activations"] == 30
    assert [point.phase for point in points(TRACE)][:4] == ["", "forward", "forward", "backward"]


def test_the_peak_is_where_most_lives():
    assert (peak(TRACE).tick, peak_bytes(TRACE)) == (3, 210)
    with pytest.raises(ValueError, match="nothing was allocated"):
        peak(MemoryTrace((), (), ticks=0))


def test_a_phase_ends_where_the_next_begins():
    assert end_of(TRACE, "forward") == 2
    assert end_of(TRACE, "backward") == 5
    assert end_of(TRACE, "forward", step=1) == 6
    with pytest.raises(ValueError, match="came 2 times"):
        end_of(TRACE, "forward", step=2)


def test_a_ledger_groups_what_lives_by_kind_and_layer():
    ledger = ledger_at(TRACE, 3)
    assert [(row.kind, row.layer, row.size_bytes) for row in ledger.rows] == [
        ("weights", "a", 100),
        ("gradients", "a", 60),
        ("activations", "a", 30),
        ("activations", "b", 20),
    ]
    assert ledger.rows[2].lines == ("m.py:3",)
    assert (ledger.total_bytes, ledger.of_kind("activations")) == (210, 50)
    assert ledger.source == "counted"


def test_where_an_allocator_was_read_its_total_holds():
    readings = (Reading(1, 140), Reading(2, 152), Reading(3, 230))
    trace = MemoryTrace(BLOCKS, MARKS, 7, "cuda:0", readings, highest_reading_bytes=400)
    # Between readings what the allocator has beyond the blocks (20 at tick 3) stays.
    assert [p.live_bytes for p in points(trace)] == [100, 140, 152, 230, 210, 180, 185]
    assert peak_bytes(trace) == 400
    ledger = ledger_at(trace, 3)
    assert (ledger.total_bytes, ledger.of_kind("other"), ledger.source) == (230, 20, "allocator")
