"""Who did it, where in which array, and how often: worked out by hand for some of the plants."""

from __future__ import annotations

from dataclasses import dataclass

Three = tuple[int, int, int]


@dataclass(frozen=True)
class Witness:
    """What a finding must name: array, index, (block, thread), the other of a race, the count."""

    array: str
    index: tuple[int, ...]
    who: tuple[Three, Three]
    other: tuple[Three, Three] | None = None
    count: int | None = None


def _at(block: int, thread: int) -> tuple[Three, Three]:
    return (block, 0, 0), (thread, 0, 0)


ORIGIN = (0, 0, 0)
WITNESSES: dict[str, Witness] = {
    # 128 threads, 100 elements: 28 too many, the first is thread 100 = block 1, thread 36.
    "forgets_the_guard": Witness("a", (100,), _at(1, 36), count=28),
    "reads_right_neighbor_of_the_last": Witness("a", (100,), _at(0, 99), count=1),
    "only_the_last_thread_writes_outside": Witness("out", (95,), _at(2, 31), count=1),
    "the_very_last_thread_writes_outside": Witness("out", (191_999,), _at(2999, 63), count=1),
    # Column 15 of each of 16 rows looks at column 16; row 0 is in block (1, 0).
    "row_overflows_into_the_next_row": Witness("a", (0, 16), ((1, 0, 0), (7, 0, 0)), count=16),
    "leaves_the_third_dimension": Witness("a", (0, 0, 3), (ORIGIN, (0, 0, 3)), count=16),
    "gathers_with_one_bad_index": Witness("a", (64,), _at(0, 63), count=1),
    "counts_a_value_without_a_bin": Witness("bins", (10,), _at(1, 31), count=1),
    "stencil_wraps_at_the_left": Witness("a", (0, -1), (ORIGIN, ORIGIN), count=16),
    "stencil_wraps_at_the_top": Witness("a", (-1, 0), (ORIGIN, ORIGIN), count=16),
    "reads_left_neighbor_of_the_first": Witness("a", (-1,), _at(0, 0), count=1),
    "shared_tile_wraps": Witness("tile", (-1,), _at(0, 0), count=1),
    "fills_a_local_row_and_reads_a_column": Witness("block", (1, 0), _at(0, 17), count=1),
    "one_block_of_many_leaves_a_cell_raw": Witness("tile", (40,), _at(2500, 0), count=1),
    # Elements 100 to 127 of the second block's tile are beyond the array: cells 36 to 63.
    "sums_the_whole_tile_of_a_partial_block": Witness("tile", (36,), _at(1, 0), count=28),
    "one_branch_leaves_its_local_array_raw": Witness("pair", (1,), _at(0, 1), count=13),
    # where[97] repeats where[13]; thread 97 is thread 1 of block 3.
    "scatters_with_one_duplicate": Witness("out", (43,), _at(0, 13), _at(3, 1)),
    "race_only_in_the_second_block": Witness("cell", (0,), _at(1, 0), _at(1, 36)),
    "first_and_last_block_race": Witness("a", (191_999,), _at(2999, 63), _at(0, 5)),
    # narrow[3] is the upper half of wide[1].
    "half_of_another_threads_number": Witness("narrow", (3,), _at(0, 16), _at(0, 1)),
    "both_sides_of_a_branch_write_one_cell": Witness("cell", (0,), _at(0, 3), _at(0, 20)),
    "few_threads_meet_on_a_byte": Witness("out", (3,), _at(0, 1), _at(0, 41)),
    "one_block_of_many_is_split_by_its_barrier": Witness("", (), _at(2500, 0)),
    "barrier_for_part_of_the_third_block": Witness("", (), _at(2, 0)),
    "loop_that_one_thread_never_leaves": Witness("", (), _at(0, 31)),
}
