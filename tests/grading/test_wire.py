"""Messages: what is sent arrives, and bytes from an enemy are refused within limits."""

from __future__ import annotations

import contextlib
import json
import struct
import tracemalloc

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.exercises import registry
from gpuedu.grading.wire import WireError, WireLimits, pack, unpack
from gpuedu.syllabus import exercise_ids

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DTYPES = st.sampled_from(["<i4", "<f8", "<f4", "|u1", "<f2", "|b1", "<c8", "<i8"])
ARRAYS = DTYPES.flatmap(
    lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, min_side=0, max_side=4))
)
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)


def same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (one != one and other != other)


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_what_is_sent_arrives(value):
    assert same(unpack(pack(value)), value)


def test_an_array_lies_in_memory_as_it_did():
    table = np.arange(24, dtype=np.float32).reshape(4, 6)
    views = (table.T, table[:, 1], table[::-1, ::2], table[1:3, 2:5], np.asfortranarray(table))
    for view in (*views, np.broadcast_to(table[0], (3, 6)), table[:0].T):
        got = unpack(pack(view))
        np.testing.assert_array_equal(got, view)
        assert got.strides == view.strides or not view.size
        assert got.dtype == view.dtype


def test_numpy_scalars_and_non_contiguous_arrays_arrive():
    value = {"x": np.float32(0.1), "t": np.arange(12).reshape(3, 4).T, "nan": [float("nan")]}
    got = unpack(pack(value))
    assert type(got["x"]) is np.float32
    assert got["x"] == np.float32(0.1)
    np.testing.assert_array_equal(got["t"], value["t"])
    assert np.isnan(got["nan"][0])
    got["t"][0, 0] = 7  # its own memory, and writable


@pytest.mark.parametrize("exercise", exercise_ids())
def test_the_cases_of_every_exercise_can_be_sent(exercise):
    for case in registry.load(exercise).judge.cases(np.random.default_rng(3)):
        inputs = dict(case.inputs)
        assert same(unpack(pack(inputs)), inputs)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, np.array([object()]), np.zeros(2, "M8[s]"), {(1, 2): 3}, [1, [print]]],
)
def test_what_is_not_plain_is_not_sent(value):
    with pytest.raises(WireError):
        pack(value)


def test_subclasses_that_pretend_are_not_plain():
    class Sly(np.ndarray):
        def __eq__(self, other):
            return True

    class Number(float):
        pass

    for value in (np.zeros(3).view(Sly), Number(1.0)):
        with pytest.raises(WireError):
            pack(value)


def framed(tree, raw=b"", said=None):
    header = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    return struct.pack("<II", len(header), len(raw) if said is None else said) + header + raw


BROKEN = {
    "empty": b"",
    "short": b"\x01\x00",
    "no JSON": framed(b"{"),
    "deep JSON": framed(b"[" * 100_000 + b"]" * 100_000),
    "deep": framed(json.loads("[" * 60 + "]" * 60)),
    "a header larger than allowed": struct.pack("<II", 2**31, 0),
    "arrays larger than allowed": struct.pack("<II", 2, 2**31) + b"[]",
    "less than it says": framed([], b"", said=8),
    "more than it says": framed([]) + b"x",
    "bytes of nothing": framed([], b"12345678"),
    "an object array": framed({"a": ["|O", [1]]}, bytes(8)),
    "a dtype with fields": framed({"a": ["i4,i4", [1]]}, bytes(8)),
    "a dtype of many dimensions": framed({"a": ["(" + "1," * 30_000 + ")f8", [1]]}, bytes(8)),
    "a dtype of many fields": framed({"a": ["f8," * 30_000, [1]]}, bytes(8)),
    "a dtype of another name": framed({"a": ["float64", [1]]}, bytes(8)),
    "a dtype that is a list": framed({"a": [[["x", "<f8"]], [1]]}, bytes(8)),
    "a dtype of nonsense": framed({"a": ["{}", [1]]}, bytes(8)),
    "a shape below zero": framed({"a": ["<i4", [-1]]}, bytes(4)),
    "a shape of text": framed({"a": ["<i4", ["1"]]}, bytes(4)),
    "a shape that is true": framed({"a": ["<i4", [True]]}, bytes(4)),
    "a shape beyond its bytes": framed({"a": ["<i4", [10**6, 10**6]]}, bytes(4)),
    "an unknown kind": framed({"x": 1}),
    "two kinds": framed({"a": ["<i4", [0]], "t": []}),
    "a dict of no pairs": framed({"d": [[1]]}),
    "a number that is an array": framed({"s": {"a": ["<i4", [2]]}}, bytes(8)),
    "numbers in numbers": framed(b'{"s":' * 800 + b"1" + b"}" * 800),
    "a long number": framed(b"9" * 10_000),
    "too many values": framed([0] * 600_000),
    "strides of text": framed({"a": ["<i4", [2], ["x"]]}, bytes(8)),
    "strides of another number": framed({"a": ["<i4", [2], [4, 4]]}, bytes(8)),
    "strides over all memory": framed({"a": ["<i4", [2], [2**40]]}, bytes(8)),
    "more than strides": framed({"a": ["<i4", [2], [4], [4]]}, bytes(8)),
    "elements of no bytes": framed({"a": ["<U0", [3]]}),
    "no elements of an impossible shape": framed({"a": ["<f8", [0, *[2**28] * 5]]}),
    "a stride beyond an integer": framed({"a": ["<f8", [1], [2**70]]}, bytes(8)),
    "characters that do not exist": framed({"a": ["<U1", [1]]}, b"\xff" * 4),
    "many arrays, each spread": framed([{"a": ["|i1", [2], [2**27]]}] * 3, bytes(6)),
    "little spread over much": framed({"a": ["|i1", [2], [2**27]]}, bytes(2)),
    "many lists": framed(b"[" + b",".join([b"[]"] * 200_000) + b"]"),
    "many rows of nothing": framed({"a": ["<f8", [300_000, 0]]}),
    "many rows of a byte": framed({"a": ["|i1", [300_000, 1]]}, bytes(300_000)),
    "many arrays": framed([{"a": ["<f4", [0]]}] * 5_001),
    "texts that are not ASCII": framed('"😀"'.encode()),
    "keys of one hash": framed({"d": [[(2**61 - 1) * k, 0] for k in range(20_000)]}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_bytes_from_an_enemy_are_refused(name):
    with pytest.raises(WireError):
        unpack(BROKEN[name], WireLimits())


@pytest.mark.parametrize("name", ["a dtype of many dimensions", "a dtype of many fields"])
def test_a_dtypes_name_is_not_read_by_numpy_unless_it_is_known(name):
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            unpack(BROKEN[name])
        assert tracemalloc.get_traced_memory()[1] < 20 * len(BROKEN[name])
    finally:
        tracemalloc.stop()


WORST = {
    "lists": b"[" + b",".join([b"[]"] * 2**20) + b"]",
    "tuples": b"[" + b",".join([b'{"t":[]}'] * 99_000) + b"]",
    "arrays": b"[" + b",".join([b'{"a":["<f4",[0]]}'] * 200_000) + b"]",
    "a text of wide characters": b'"\\ud83d\\ude00' + b"a" * (4 * 2**20 - 20) + b'"',
    "a text as large as it gets": b'"' + b"a" * (16 * 2**20) + b'"',
    "pairs": b'{"d":[' + b",".join(b'["%d",1]' % one for one in range(99_000)) + b"]}",
    "long numbers": b"[" + b",".join([b"9" * 4_000] * 1_000) + b"]",
    "spread": b'{"a":["|i1",[2],[%d]]}' % (2**26 - 10),
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_message_takes_little_memory(name):
    message = framed(WORST[name], bytes(2) if name == "spread" else b"")
    tracemalloc.start()
    try:
        with contextlib.suppress(WireError):
            unpack(message)
        assert tracemalloc.get_traced_memory()[1] < 70 * 2**20
    finally:
        tracemalloc.stop()


def test_a_long_key_is_told_once_and_not_for_each_value_in_it():
    value = {"k" * 3_000_000: [0] * 20_000}
    tracemalloc.start()
    try:
        assert same(unpack(pack(value)), value)
        assert tracemalloc.get_traced_memory()[1] < 60 * 2**20
    finally:
        tracemalloc.stop()
    with pytest.raises(WireError) as told:
        pack({"k" * 3_000_000: [0, object()]})
    assert len(told.value.message) < 500


def test_numbers_are_keys_as_long_as_their_hashes_differ():
    keys = dict.fromkeys(range(5000)) | {k / 8: None for k in range(100)} | {"a": None}
    assert unpack(pack(keys)) == keys


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_random_bytes_do_nothing_but_refuse(noise):
    for message in (noise, framed(noise)):
        try:
            unpack(message)
        except WireError:
            continue
