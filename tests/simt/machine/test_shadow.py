"""Races by the written rule, held against a history that forgets nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from gpuedu.simt.machine.shadow import (
    EPOCH_SHIFT,
    SYNC_SHIFT,
    THREAD_BITS,
    Known,
    Shadow,
    block_of,
    epoch_of,
    sync_of,
    thread_of,
    unordered,
)


def code(thread: int = 0, block: int = 0, epoch: int = 0, sync: int = 0) -> int:
    """An access by this thread, after so many barriers and warp syncs."""
    return thread | block << THREAD_BITS | (epoch + 1) << EPOCH_SHIFT | sync << SYNC_SHIFT


def one(access: int) -> np.ndarray:
    return np.array([access], np.int64)


def races(first: int, second: int, **named) -> bool:
    return unordered(one(second), one(first), **named) is not None


def test_a_code_can_be_read_back():
    made = code(thread=1023, block=(1 << 24) - 1, epoch=65_533, sync=4_095)
    assert (thread_of(made), block_of(made)) == (1023, (1 << 24) - 1)
    assert (epoch_of(made), sync_of(made)) == (65_534, 4_095)
    assert made > 0


# The rules one by one


def test_rule_1_one_thread_is_in_order_with_itself():
    assert not races(code(5, 3), code(5, 3))
    assert not races(code(5, 3, epoch=1), code(5, 3, epoch=1, sync=2))


def test_rule_2_a_barrier_orders_threads_of_a_block():
    assert races(code(0), code(40))
    assert not races(code(0), code(40, epoch=1))
    assert not races(code(0, 7, epoch=4), code(40, 7, epoch=9))


def test_rule_2_a_barrier_does_not_order_blocks():
    assert races(code(0, 0), code(40, 1, epoch=1))
    assert races(code(0, 0), code(0, 1, epoch=1))


def test_rule_3_a_sync_orders_lanes_of_a_warp():
    assert races(code(0), code(1))
    assert not races(code(0), code(1, sync=1))
    assert races(code(0), code(32, sync=1))
    assert races(code(0, 0), code(1, 1, sync=1))


def test_rule_3_only_lanes_that_the_mask_names_are_ordered():
    half = np.arange(32) < 16
    matrix = np.where(half[:, np.newaxis] & half, 1, 0)
    known = Known(matrix)
    assert not races(code(0), code(1, sync=1), known=known)
    assert races(code(20), code(1, sync=1), known=known)
    assert not races(code(20), code(1, sync=2), known=Known(np.full((32, 32), 2)))


def test_nobody_has_touched_what_is_zero():
    assert unordered(one(code(3)), one(0)) is None


# What an access meets


def found(shadow: Shadow, kind: str, access: int, at: int = 0) -> set[str]:
    return {
        race.other_kind
        for race in getattr(shadow, kind)(np.array([at]), one(access), 1, 1)
        if len(race.at)
    }


@pytest.mark.parametrize(
    "first, second, other_kind",
    [
        ("read", "read", None),
        ("read", "write", "read"),
        ("write", "read", "write"),
        ("write", "write", "write"),
        ("change", "change", None),
        ("change", "read", "atomic"),
        ("change", "write", "atomic"),
        ("read", "change", "read"),
        ("write", "change", "write"),
    ],
)
def test_which_kinds_of_access_conflict(first, second, other_kind):
    shadow = Shadow(4, timed=False)
    assert found(shadow, first, code(0)) == set()
    assert found(shadow, second, code(1)) == ({other_kind} if other_kind else set())
    assert found(shadow, second, code(2), at=1) == set()


def test_lanes_of_one_statement_that_write_one_place_race():
    shadow = Shadow(4, timed=False)
    at, codes = np.array([2, 3, 2]), np.array([code(0), code(1), code(2)], np.int64)
    (race,) = shadow.write(at, codes, 7, 1)
    assert race.at.tolist() == [2]
    assert (thread_of(race.mine).tolist(), thread_of(race.other).tolist()) == ([0], [2])
    assert race.winners.tolist() == [2]


def test_unwritten_places_are_known_one_by_one():
    shadow = Shadow(3, timed=False)
    assert shadow.unwritten(np.array([0, 1])).tolist() == [True, True]
    shadow.write(np.array([1]), one(code(0)), 0, 1)
    assert shadow.unwritten(np.array([0, 1])).tolist() == [True, False]
    shadow.write(np.array([0, 2]), np.array([code(0), code(1)], np.int64), 0, 2)
    assert shadow.unwritten(np.array([0, 1, 2])) is None


def test_blocks_that_part_keep_what_they_had_in_common():
    shadow = Shadow(2, timed=False)
    shadow.write(np.array([0]), one(code(3)), 0, 1)
    shadow.split(2)
    assert found(shadow, "read", code(4), at=0) == {"write"}
    assert found(shadow, "read", code(4), at=2) == {"write"}
    assert found(shadow, "read", code(4), at=1) == set()


# Against everything remembered


@dataclass
class Everything:
    """All accesses to one place with vector clocks: what the two that are kept must stand for."""

    threads: int
    clocks: list[np.ndarray] = field(default_factory=list)
    seen: list[tuple[str, int, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clocks = [np.zeros(self.threads, int) for _ in range(self.threads)]

    def meet(self, threads: list[int]) -> None:
        joined = np.max([self.clocks[t] for t in threads], axis=0)
        for t in threads:
            self.clocks[t] = joined.copy()

    def enter(self, kind: str, threads: list[int]) -> bool:
        """Whether an access of one of these threads races, all at once."""
        racy = False
        for t in threads:
            self.clocks[t][t] += 1
        now = [(kind, t, self.clocks[t].copy()) for t in threads]
        for number, (_, t, clock) in enumerate(now):
            for other_kind, u, then in [*self.seen, *now[:number]]:
                conflict = kind == "write" or other_kind == "write" or kind != other_kind
                racy |= conflict and u != t and then[u] > clock[u]
        self.seen += now
        return racy


THREADS = [0, 1, 31, 32, 33, 63]  # two warps of a block; linear in it


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, tuple[int, ...]]]:
    kinds = ["read", "read", "read", "write", "change", "barrier", "sync", "sync"]
    return [
        (
            draw(st.sampled_from(kinds)),
            tuple(sorted(draw(st.sets(st.sampled_from(range(12)), min_size=1, max_size=12)))),
        )
        for _ in range(draw(st.integers(2, 9)))
    ]


@settings(derandomize=True, deadline=None, database=None, max_examples=400)
@given(histories())
def test_two_that_are_remembered_stand_for_all(history):
    """Accesses of 12 threads (2 blocks, 2 warps each) to one place, until the first race.

    A ``sync`` is of the whole warp of each thread named, a ``barrier`` of its block.
    """
    shadow, everything = Shadow(1, timed=False), Everything(12)
    epoch, sync = [0, 0], [0, 0, 0, 0]
    for kind, chosen in history:
        if kind == "barrier":
            for block in {t // 6 for t in chosen}:
                epoch[block] += 1
                sync[2 * block] = sync[2 * block + 1] = 0
                everything.meet(list(range(6 * block, 6 * block + 6)))
            continue
        if kind == "sync":
            for warp in {t // 3 for t in chosen}:
                sync[warp] += 1
                everything.meet(list(range(3 * warp, 3 * warp + 3)))
            continue
        chosen = chosen[:1] if kind == "write" else chosen
        codes = [code(THREADS[t % 6], t // 6, epoch[t // 6], sync[t // 3]) for t in chosen]
        at = np.zeros(len(chosen), np.int64)
        told = any(len(r.at) for r in getattr(shadow, kind)(at, np.array(codes), 0, 1))
        racy = everything.enter(kind, list(chosen))
        assert told == racy
        if racy:
            return


# The same through kernels: many readers, and a writer that is in order with the last of them


def kinds(kernel, grid, block, *arguments) -> set[str]:
    return {f.kind for f in simulate(kernel, grid, block, *arguments).hazards}


def test_readers_of_all_warps_race_with_a_writer_of_the_last_warp():
    def last_thread_writes(out):
        t = cuda.threadIdx.x
        s = cuda.shared.array(1, np.int64)
        if t == 0:
            s[0] = 5
        cuda.syncthreads()
        v = s[0]
        cuda.syncwarp()
        if t == 63:
            s[0] = v + 1
        out[t] = v

    assert kinds(last_thread_writes, 1, 64, np.zeros(64, np.int64)) == {"data-race"}


def test_readers_of_all_warps_race_with_a_writer_of_the_first_warp():
    def first_thread_writes(out):
        t = cuda.threadIdx.x
        s = cuda.shared.array(1, np.int64)
        if t == 0:
            s[0] = 5
        cuda.syncthreads()
        v = s[0]
        cuda.syncwarp()
        if t == 0:
            s[0] = v + 1
        out[t] = v

    assert kinds(first_thread_writes, 1, 64, np.zeros(64, np.int64)) == {"data-race"}


@pytest.mark.parametrize("block", [0, 1, 3])
def test_readers_of_all_blocks_race_with_a_writer_of_any_block(block):
    def one_block_writes(g, out, block):
        v = g[0]
        cuda.syncthreads()
        if cuda.blockIdx.x == block and cuda.threadIdx.x == 0:
            g[0] = v + 1
        out[cuda.grid(1)] = v

    arguments = np.zeros(1, np.int64), np.zeros(128, np.int64), block
    assert kinds(one_block_writes, 4, 32, *arguments) == {"data-race"}


@pytest.mark.parametrize("writer", [0, 40, 63])
def test_atomics_of_all_warps_race_with_a_write_of_any(writer):
    def one_thread_writes(out, writer):
        t = cuda.threadIdx.x
        s = cuda.shared.array(1, np.int64)
        if t == 0:
            s[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(s, 0, 1)
        cuda.syncwarp()
        if t == writer:
            s[0] = 7
        cuda.syncthreads()
        out[t] = s[0]

    assert kinds(one_thread_writes, 1, 64, np.zeros(64, np.int64), writer) == {"data-race"}


def test_a_chain_of_partial_syncs_orders_its_ends():
    def chain(out):
        t = cuda.threadIdx.x
        s = cuda.shared.array(1, np.int64)
        if t == 0:
            s[0] = 5
        if t < 2:
            cuda.syncwarp(0b11)
        if t == 1 or t == 2:
            cuda.syncwarp(0b110)
        if t == 2:
            out[0] = s[0]

    assert kinds(chain, 1, 32, np.zeros(1, np.int64)) == set()


def test_lanes_that_a_sync_does_not_name_race_in_global_memory_too():
    def half(g, out):
        t = cuda.threadIdx.x
        if t < 16:
            g[t] = t
            cuda.syncwarp(0xFFFF)
        else:
            out[t] = g[t - 16]

    assert kinds(half, 1, 32, np.zeros(32), np.zeros(32)) == {"data-race"}


@pytest.mark.parametrize("block", [8, 32])
@pytest.mark.parametrize("syncs", [100, 4_094, 4_095, 4_096])
def test_any_number_of_syncs_orders(block, syncs):
    def many(out, syncs):
        t = cuda.threadIdx.x
        s = cuda.shared.array(32, np.int64)
        s[t] = t
        cuda.syncwarp()
        x = s[t ^ 1]
        for _ in range(syncs):
            cuda.syncwarp()
        s[t] = x
        out[t] = x

    assert kinds(many, 1, block, np.zeros(32, np.int64), syncs) == set()
