"""Cooperative groups against what they are made of: ranks, barriers and functions of the warp.

Values are worked out in NumPy from the programming guide's definitions. The real compiler takes
seconds for the header, so where it is installed it reads one kernel that names everything.
"""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.trace import Trace

HEAD = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
"""
SHAPES = [32, 64, 96, (8, 4), (4, 4, 6)]


@pytest.fixture(autouse=True)
def _without_the_real_compiler(request, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.name != "test_the_real_compiler_knows_all_of_it":
        monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)


def launch(body: str, out: np.ndarray, block=64, grid=1, *, before: str = "", given=()) -> Trace:
    kinds = {"f": "float", "i": "int", "u": "unsigned int"}
    pointers = "".join(f", const {kinds[a.dtype.kind]}* x{at}" for at, a in enumerate(given))
    code = (
        f'{HEAD}{before}\nextern "C" __global__ void k({kinds[out.dtype.kind]}* out{pointers}) {{\n'
        "int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
        f"{body}\n}}"
    )
    return simulate(CudaCKernel(code, "k"), grid, block, out, *given)


def values(body: str, block=64, dtype=np.int32, **more) -> np.ndarray:
    out = np.full(int(np.prod(block)), -1).astype(dtype)
    trace = launch(body, out, block, **more)
    assert trace.hazards == ()
    return out


@pytest.mark.parametrize("block", SHAPES)
def test_a_block_numbers_its_threads_along_x_first(block):
    count = int(np.prod(block))
    told = values(
        "auto b = cg::this_thread_block(); out[t] = b.thread_rank() * 1000 + b.size();", block
    )
    np.testing.assert_array_equal(told, np.arange(count) * 1000 + count)


@pytest.mark.parametrize("block", SHAPES)
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_a_tile_is_threads_one_after_another(block, size):
    rank = np.arange(int(np.prod(block)))
    told = values(
        f"cg::thread_block b = cg::this_thread_block(); cg::thread_block_tile<{size}> tile = "
        f"cg::tiled_partition<{size}>(b);\n"
        "out[t] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.size()"
        " + 1000000 * tile.meta_group_size();",
        block,
    )
    expected = rank % size + 100 * (rank // size) + 10000 * size + 1000000 * (-(-rank.size // size))
    np.testing.assert_array_equal(told, expected)


def test_a_tile_of_a_tile_counts_within_it():
    rank = np.arange(64)
    told = values(
        "auto warp = cg::tiled_partition<32>(cg::this_thread_block());"
        "auto small = cg::tiled_partition<8>(warp);"
        "out[t] = small.thread_rank() + 100 * small.meta_group_rank() + 1000 * small.meta_group_size();"
    )
    np.testing.assert_array_equal(told, rank % 8 + 100 * (rank % 32 // 8) + 1000 * 4)


@pytest.mark.parametrize("size", [2, 8, 16, 32])
@pytest.mark.parametrize(
    ("function", "source"),
    [
        ("shfl(v, 1)", lambda lane, size: np.full_like(lane, 1 % size)),
        ("shfl_up(v, 1)", lambda lane, size: np.maximum(lane - 1, 0)),
        ("shfl_down(v, 2)", lambda lane, size: np.where(lane + 2 < size, lane + 2, lane)),
        ("shfl_xor(v, 1)", lambda lane, size: lane ^ 1),
    ],
)
def test_a_shuffle_stays_within_its_tile(size, function, source):
    rank = np.arange(64)
    told = values(
        f"auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());"
        f"int v = t * t; out[t] = tile.{function};"
    )
    lane = rank % size
    taken = rank - lane + source(lane, size)
    np.testing.assert_array_equal(told, taken * taken)


@pytest.mark.parametrize(
    "type_", ["char", "bool", "unsigned short", "float", "double", "long long"]
)
def test_a_shuffle_gives_back_the_type_that_it_got(type_):
    told = values(
        "auto tile = cg::tiled_partition<4>(cg::this_thread_block());"
        f"{type_} v = t % 2; auto w = tile.shfl_xor(v, 1); out[t] = (int)w * 100 + sizeof(w);"
    )
    size = {"char": 1, "bool": 1, "unsigned short": 2, "float": 4}.get(type_, 8)
    np.testing.assert_array_equal(told, (1 - np.arange(64) % 2) * 100 + size)


@pytest.mark.parametrize("size", [4, 16, 32])
def test_votes_are_of_the_tile(size):
    rank = np.arange(64)
    says = (rank % 3 == 0) | (rank >= 48)
    told = values(
        f"auto tile = cg::tiled_partition<{size}>(cg::this_thread_block()); int yes = t % 3 == 0 || t >= 48;"
        "out[t] = tile.ballot(yes);",
        dtype=np.uint32,
    )
    groups = says.reshape(-1, size)
    bits = (groups * (1 << np.arange(size, dtype=np.uint64))).sum(axis=1)
    np.testing.assert_array_equal(told, np.repeat(bits, size).astype(np.uint32))
    told = values(
        f"auto tile = cg::tiled_partition<{size}>(cg::this_thread_block()); int yes = t % 3 == 0 || t >= 48;"
        "out[t] = 2 * tile.any(yes) + tile.all(yes);"
    )
    np.testing.assert_array_equal(
        told, np.repeat(2 * groups.any(axis=1) + groups.all(axis=1), size)
    )


def test_all_counts_the_lanes_that_a_short_block_lacks_as_no():
    """As the header has it: the votes are held against the mask of a whole tile."""
    told = values(
        "auto w = cg::tiled_partition<32>(cg::this_thread_block()); out[t] = w.all(1);", 48
    )
    np.testing.assert_array_equal(told, np.arange(48) < 32)


@pytest.mark.parametrize("size", [2, 8, 32])
@pytest.mark.parametrize(
    ("operation", "reduction"),
    [("plus", np.add), ("less", np.minimum), ("greater", np.maximum), ("bit_xor", np.bitwise_xor)],
)
@pytest.mark.parametrize("type_", ["int", "unsigned int", "long long"])
def test_reduce_gives_every_thread_the_value_of_all(size, operation, reduction, type_):
    x = np.random.default_rng(3).integers(-500, 500, 64).astype(np.int32)
    told = values(
        f"auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());"
        f"{type_} v = x0[t]; out[t] = (int)cg::reduce(tile, v, cg::{operation}<{type_}>());",
        given=(x,),
    )
    seen = x.astype(np.uint32) if type_ == "unsigned int" else x
    found = reduction.reduce(seen.reshape(-1, size), axis=1, dtype=seen.dtype)
    np.testing.assert_array_equal(told, np.repeat(found, size).astype(np.int32))


def test_reduce_of_floats_adds_in_the_order_of_the_header():
    x = np.random.default_rng(4).standard_normal(64).astype(np.float32)
    told = values(
        "auto w = cg::tiled_partition<32>(cg::this_thread_block());"
        "out[t] = cg::reduce(w, x0[t], cg::plus<float>{});",
        dtype=np.float32,
        given=(x,),
    )
    found = x.copy()
    for step in (16, 8, 4, 2, 1):
        found = found + found[np.arange(64) ^ step]
    np.testing.assert_array_equal(told, found)


def test_a_grid_numbers_all_its_threads():
    out = np.zeros(6 * 32, np.int32)
    trace = launch(
        "auto g = cg::this_grid(); int b = g.block_rank();"
        "out[g.thread_rank()] = b * 1000 + g.size() + g.num_blocks() * 1000000;",
        out,
        (8, 4),
        (3, 2),
    )
    assert trace.hazards == ()
    rank = np.arange(192)
    np.testing.assert_array_equal(out, rank // 32 * 1000 + 192 + 6000000)


def test_groups_are_passed_as_what_a_function_asks_for():
    told = values(
        "cg::thread_block b = cg::this_thread_block(); auto w = cg::tiled_partition<16>(b);"
        "out[t] = rank_in(b) + 1000 * rank_in(w) + 100000 * size_of(w) + last(w);",
        before="""
__device__ int rank_in(cg::thread_group g) { return g.thread_rank(); }
template <typename G> __device__ int size_of(const G& g) { return g.size(); }
__device__ int last(cg::thread_block_tile<16>& w) { return w.meta_group_rank() * 10000000; }""",
    )
    rank = np.arange(64)
    np.testing.assert_array_equal(told, rank + 1000 * (rank % 16) + 1600000 + rank // 16 * 10000000)


def test_the_counts_of_thread_group_have_64_bits():
    told = values(
        "cg::thread_group g = cg::this_thread_block(); auto b = cg::this_thread_block();"
        "cg::thread_group w = cg::tiled_partition(b, 8);"
        "out[t] = sizeof(g.size()) + 10 * sizeof(b.size()) + 100 * sizeof(w.thread_rank()) + 1000 * w.size();"
    )
    assert (told == 8 + 40 + 800 + 8000).all()


EVERYTHING = """
cg::thread_block b = cg::this_thread_block();
cg::thread_block_tile<16> tile = cg::tiled_partition<16>(b);
auto small = cg::tiled_partition<4>(tile);
cg::thread_group any = cg::tiled_partition(b, 8);
cg::grid_group grid = cg::this_grid();
unsigned int v = tile.shfl(t, 1) + tile.shfl_up(t, 1) + tile.shfl_down(t, 1) + tile.shfl_xor(t, 1);
v += tile.ballot(v > 3) + tile.any(v > 3) + tile.all(v > 3) + tile.match_any(v);
v += small.meta_group_rank() + small.meta_group_size() + any.size() + any.thread_rank();
v += b.group_index().x + b.thread_index().y + b.group_dim().z + b.dim_threads().x;
v += grid.block_rank() + grid.num_blocks() + grid.num_threads() + grid.group_dim().x;
v += cg::reduce(tile, v, cg::plus<unsigned int>()) + cg::reduce(tile, v, cg::less<unsigned int>{});
b.sync(); cg::sync(tile); any.sync();
out[t] = v + cg::thread_rank(b) + cg::group_size(tile);
"""


def test_the_real_compiler_knows_all_of_it():
    launch(EVERYTHING, np.zeros(64, np.int32))


# Barriers

MEET = "__shared__ int s[64]; {group} s[t] = t; {sync} out[t] = s[t ^ {far}];"
TILE = "auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());"


@pytest.mark.parametrize("size", [2, 8, 16, 32])
def test_sync_orders_the_threads_of_its_tile_and_no_others(size):
    group = TILE.format(size=size)
    out = np.zeros(64, np.int32)
    inside = MEET.format(group=group, sync="tile.sync();", far=size // 2)
    assert launch(inside, out).hazards == ()
    np.testing.assert_array_equal(out, np.arange(64) ^ (size // 2))
    beyond = MEET.format(group=group, sync="tile.sync();", far=size)
    assert [found.kind for found in launch(beyond, out).hazards] == ["data-race"]
    missing = MEET.format(group=group, sync="", far=size // 2)
    assert [found.kind for found in launch(missing, out).hazards] == ["data-race"]


@pytest.mark.parametrize("sync", ["b.sync();", "cg::sync(b);"])
def test_sync_of_a_block_is_its_barrier(sync):
    group, out = "auto b = cg::this_thread_block();", np.zeros(64, np.int32)
    assert launch(MEET.format(group=group, sync=sync, far=33), out).hazards == ()
    assert launch(MEET.format(group=group, sync="", far=33), out).hazards
    (found, *_) = launch(f"{group} if (t < 40) {{ {sync} }}", out).hazards
    assert found.kind == "divergent-barrier"


def test_a_tile_of_which_not_all_threads_come_is_told():
    body = "auto w = cg::tiled_partition<16>(cg::this_thread_block()); if (t < 20) w.sync();"
    assert {found.kind for found in launch(body, np.zeros(64, np.int32)).hazards} == {
        "warp-sync-mask"
    }
    whole = "auto w = cg::tiled_partition<16>(cg::this_thread_block()); if (t < 32) w.sync();"
    assert launch(whole, np.zeros(64, np.int32)).hazards == ()


def test_tiles_that_met_apart_know_of_each_other_by_a_third_meeting():
    body = """__shared__ int s[32];
auto small = cg::tiled_partition<8>(cg::this_thread_block());
auto wide = cg::tiled_partition<16>(cg::this_thread_block());
s[t] = t;
small.sync();
wide.sync();
out[t] = s[t ^ 15];"""
    assert launch(body, np.zeros(32, np.int32), 32).hazards == ()
    assert launch(body.replace("t ^ 15", "t ^ 31"), np.zeros(32, np.int32), 32).hazards


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("auto c = cg::coalesced_threads(); out[t] = c.size();", "coalesced_threads"),
        ("auto c = cg::tiled_partition<64>(cg::this_thread_block()); out[t] = c.size();", "64"),
        (
            "cg::thread_block b = cg::this_thread_block(); auto a = b.barrier_arrive();",
            "barrier_arrive",
        ),
    ],
)
def test_what_is_not_modeled_is_refused_by_name(body, words):
    with pytest.raises(KernelSourceError, match=words):
        launch(body, np.zeros(64, np.int32))


# The warp's own reductions


@pytest.mark.parametrize(
    ("name", "reduction"),
    [
        ("add", np.add),
        ("min", np.minimum),
        ("max", np.maximum),
        ("and", np.bitwise_and),
        ("or", np.bitwise_or),
        ("xor", np.bitwise_xor),
    ],
)
@pytest.mark.parametrize("mask", [0xFFFFFFFF, 0x0000FFFF])
def test_reductions_of_a_warp_take_the_lanes_that_the_mask_names(name, reduction, mask):
    signed = name in ("add", "min", "max")
    x = np.random.default_rng(5).integers(-(2**31), 2**31, 32).astype(np.int32)
    x = x if signed else x.view(np.uint32)
    lanes = 32 if mask == 0xFFFFFFFF else 16
    out = np.zeros(32, x.dtype)
    trace = launch(
        f"if (t < {lanes}) out[t] = __reduce_{name}_sync({mask:#x}, x0[t]);", out, 32, given=(x,)
    )
    assert trace.hazards == ()
    assert (out[:lanes] == reduction.reduce(x[:lanes], dtype=x.dtype)).all()
