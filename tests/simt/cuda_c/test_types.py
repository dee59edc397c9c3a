"""Sizes, layouts and the rules by which numbers meet, as the CUDA C++ Programming Guide has them."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.cuda_c.types import (
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    TYPEDEFS,
    UNSIGNED,
    UNSIGNED_LONG,
    VECTORS,
    ArrayOf,
    Pointer,
    Struct,
    alignment_of,
    arithmetic,
    dimensions,
    dtype_of,
    number,
    promoted,
    size_of,
)


@pytest.mark.parametrize(
    ("name", "size", "alignment"),
    [
        ("char4", 4, 4),
        ("uchar3", 3, 1),
        ("short2", 4, 4),
        ("int3", 12, 4),
        ("float2", 8, 8),
        ("float4", 16, 16),
        ("double2", 16, 16),
        ("longlong2", 16, 16),
        ("dim3", 12, 4),
    ],
)
def test_vector_types_have_the_sizes_and_alignments_of_cuda(name: str, size: int, alignment: int):
    assert (size_of(VECTORS[name]), alignment_of(VECTORS[name])) == (size, alignment)


def test_a_structure_is_padded_to_its_widest_member():
    made = Struct("S", (("a", number("int8")), ("b", DOUBLE), ("c", number("int16"))))
    assert (size_of(made), alignment_of(made)) == (24, 8)
    assert [dtype_of(made).fields[name][1] for name in "abc"] == [0, 8, 16]


def test_an_alignment_that_is_told_widens_a_structure():
    made = Struct("S", (("x", FLOAT), ("y", FLOAT), ("z", FLOAT)), 16)
    assert (size_of(made), alignment_of(made)) == (16, 16)


def test_arrays_and_structures_nest():
    row = ArrayOf(ArrayOf(INT, 4), 3)
    inner = Struct("P", (("v", row), ("n", number("uint8"))))
    assert dimensions(row) == (INT, (3, 4))
    assert size_of(inner) == 52
    assert dtype_of(inner)["v"].shape == (3, 4)
    assert size_of(ArrayOf(inner, 2)) == 104
    assert size_of(Pointer(inner)) == 8


def test_numbers_meet_in_the_wider_type_and_unsigned_wins_among_equals():
    assert arithmetic(INT, UNSIGNED) == UNSIGNED
    assert arithmetic(LONG, UNSIGNED) == LONG
    assert arithmetic(LONG, UNSIGNED_LONG) == UNSIGNED_LONG
    assert arithmetic(number("bool"), number("uint16")) == INT
    assert arithmetic(UNSIGNED_LONG, FLOAT) == FLOAT
    assert arithmetic(FLOAT, DOUBLE) == DOUBLE
    assert arithmetic(HALF, HALF) == HALF
    assert promoted(number("uint16")) == INT
    assert promoted(UNSIGNED) == UNSIGNED


def test_every_name_of_a_number_has_a_dtype():
    assert dtype_of(TYPEDEFS["uint8_t"]) == np.uint8
    assert dtype_of(TYPEDEFS["size_t"]) == np.uint64
    with pytest.raises(TypeError):
        dtype_of(Pointer(INT))
