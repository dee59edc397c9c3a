"""What the lens derives, and what it must not: each rule has cases on both sides."""

import dataclasses

import numpy as np
import pytest

from gpuedu.lens import lens
from gpuedu.trace import Argument, Level, Space
from tests.trace import samples
from tests.trace.building import Builder

LANE = np.arange(32)[None, :]


def kinds(trace):
    return [found.kind for found in lens(trace).findings]


def costs(trace):
    return [found.kind for found in lens(trace).of(Level.COST)]


def only(trace, kind):
    (found,) = [found for found in lens(trace).findings if found.kind == kind]
    return found


@pytest.mark.parametrize("stride", [2, 3, 8, 32])
def test_a_stride_is_uncoalesced(stride):
    found = only(samples.strided(stride), "uncoalesced-access")
    assert found.level is Level.COST and found.place.line == 5 and found.array == "a"
    assert f"{stride} elements apart" in found.message
    assert (
        f"asks for {min(4 * stride, 32)} sectors" in found.message and "4 would do" in found.message
    )


@pytest.mark.parametrize("n", [64, 50, 33, 1])
def test_neighboring_elements_raise_nothing_whatever_the_guard(n):
    assert costs(samples.strided(1, n=n)) == []


def test_an_offset_is_a_note_at_most():
    found = only(samples.strided(1, offset=1), "misaligned-access")
    assert found.level is Level.NOTE and "5 sectors" in found.message


def test_a_column_of_a_matrix_is_named_as_one():
    made = Builder(
        "def kernel(a):\n    a[x, 0]", arguments=(Argument("a", "array", "float32", (64, 50)),)
    )
    made.step(2)
    made.access(2, "a[x, 0]", LANE * 50, shape=(64, 50))
    assert "walk down a column" in only(made.build(), "uncoalesced-access").remedy


def test_addresses_from_data_are_called_scattered():
    made = Builder("def kernel(a):\n    a[p[i]]")
    made.step(2)
    scattered = np.random.default_rng(3).permutation(4096)[:32][None, :]
    made.access(2, "a[p[i]]", scattered, shape=(4096,))
    found = only(made.build(), "uncoalesced-access")
    assert "scattered" in found.message and "sort it" in found.remedy


def test_a_column_of_a_shared_tile_conflicts_and_a_padded_one_does_not():
    found = only(samples.transpose(32), "bank-conflict")
    assert found.place.line == 7 and found.count == 32 * 31
    assert "takes 32 passes" in found.message and "one element longer" in found.remedy
    assert kinds(samples.transpose(33)) == []


def test_doubles_in_shared_memory_do_not_conflict_by_themselves():
    made = Builder("def kernel():\n    s[t]")
    made.step(2)
    made.access(2, "s[t]", LANE, space="shared", dtype="float64", shape=(32,))
    assert kinds(made.build()) == []


def test_a_tree_in_shared_memory_raises_nothing():
    assert kinds(samples.block_sum()) == []


def test_two_sides_that_both_run_are_a_divergent_branch():
    found = only(samples.branches(), "divergent-branch")
    assert found.level is Level.COST and found.place.line == 4
    assert "`i % 2 == 0` in 2 of 2 cases" in found.message
    assert costs(samples.branches()) == ["divergent-branch"]


def with_source(trace, old, new):
    (source,) = trace.launch.sources
    text = source.text.replace(old, new)
    launch = dataclasses.replace(trace.launch, sources=(dataclasses.replace(source, text=text),))
    return dataclasses.replace(trace, launch=launch)


def test_a_guard_without_other_side_is_no_divergent_branch():
    trace = with_source(samples.branches(), "    else:\n", "    if i % 2:\n")
    assert "divergent-branch" not in kinds(trace)


def test_a_conditional_expression_has_two_sides():
    made = Builder("def kernel(a):\n    x = 1 if i < 7 else 2")
    made.step(2)
    made.branch(2, "i < 7", LANE < 7)
    assert kinds(made.build()) == ["divergent-branch"]


def test_one_warp_in_many_that_splits_is_no_finding():
    made = Builder(
        "def k(a):\n    if i < n:\n        a[i]\n    else:\n        0", (20, 1, 1), kernel="k"
    )
    i = made.thread_index()
    made.step(2)
    made.branch(2, "i < n", i < 320 - 7)
    (branch,) = made.build().branches
    assert branch.divergent.sum() == 1 and kinds(made.build()) == []


def test_source_that_is_no_python_is_read_all_the_same():
    made = Builder("__global__ void k(float *a) {\n  if (i < 3) a[i] = 0; else a[i] = 1;\n}")
    made.step(2)
    made.branch(2, "i < 3", LANE < 3)
    assert kinds(made.build()) == []


@pytest.mark.parametrize(("bins", "told"), [(1, True), (8, True), (16, False), (64, False)])
def test_atomics_that_meet_are_contended(bins, told):
    found = [f for f in lens(samples.histogram(bins)).findings if f.kind == "contended-atomic"]
    assert bool(found) is told
    if told:
        assert f"{32 // bins} of 32 lanes" in found[0].message


def test_lanes_that_stand_idle():
    made = Builder("def kernel(a):\n    if t % 8 == 0:\n        a[t]", block=(64, 1, 1))
    t = made.thread_index()
    made.step(2)
    for _ in range(9):
        made.step(3, t % 8 == 0)
    found = only(made.build(), "inactive-lanes")
    assert found.place.line == 3 and "4.0 of 32 in 18 runs" in found.message
    assert found.count == 18 * 28


@pytest.mark.parametrize(
    ("block", "level"),
    [(32, None), (96, None), (100, Level.NOTE), (40, Level.COST), (8, Level.COST)],
)
def test_blocks_that_do_not_fill_their_warps(block, level):
    made = Builder("def kernel(a):\n    0", block=(block, 1, 1))
    made.step(2)
    found = lens(made.build()).findings
    assert [f.level for f in found] == ([] if level is None else [level])
    assert all(f.kind == "partial-warp" and "multiple of 32" in f.remedy for f in found)


def test_lanes_that_do_not_exist_are_not_idle():
    made = Builder("def kernel(a):\n    0", block=(8, 1, 1))
    made.step(2)
    assert kinds(made.build()) == ["partial-warp"]


def test_float64_in_a_float32_kernel_is_a_note_at_its_line():
    found = only(samples.strided(), "float64-arithmetic")
    assert found.level is Level.NOTE and found.place.line == 5
    assert "64 operations" in found.message and "float32(2.0)" in found.remedy


def test_a_scalar_that_brings_it_in_is_named():
    trace = samples.strided()
    arguments = (*trace.launch.arguments, Argument("alpha", "scalar", "float64", value=2.0))
    launch = dataclasses.replace(trace.launch, arguments=arguments)
    found = only(dataclasses.replace(trace, launch=launch), "float64-arithmetic")
    assert "`alpha` comes in as float64" in found.remedy


def test_float64_is_fine_where_an_array_holds_it():
    trace = samples.strided()
    double = dataclasses.replace(trace.arrays[0], dtype="float64")
    assert "float64-arithmetic" not in kinds(
        dataclasses.replace(trace, arrays=(double, *trace.arrays[1:]))
    )


def test_a_tile_of_float64_does_not_excuse_it():
    trace = samples.strided()
    tile = dataclasses.replace(trace.arrays[0], space=Space.SHARED, dtype="float64", array="tile")
    with_tile = dataclasses.replace(trace, arrays=(*trace.arrays, tile))
    assert "float64-arithmetic" in kinds(with_tile)


def test_hazards_come_first_and_are_kept():
    found = lens(samples.racing()).findings
    assert [f.kind for f in found[:2]] == ["data-race", "out-of-bounds"]


def test_every_finding_has_a_number_a_line_or_launch_and_a_remedy():
    made = [samples.strided(8), samples.transpose(), samples.histogram(), samples.branches()]
    for trace in made:
        for found in lens(trace).findings:
            assert any(letter.isdigit() for letter in found.message)
            assert found.remedy and found.place in {line.place for line in trace.lines}
            assert not found.message.endswith(".") and not found.remedy.endswith(".")
