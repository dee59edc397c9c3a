from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.builder import Builder
from gpuedu.simt.kinds import Clash, convert, moves, say, unify_kinds
from gpuedu.simt.program import (
    ArraySlot,
    ArrayType,
    Break,
    Cast,
    Const,
    If,
    Inline,
    Loop,
    Return,
    Set,
    Slot,
)
from gpuedu.simt.tables import Tables
from gpuedu.simt.typing_rules import TypingError
from gpuedu.simt.values import Array, Scalar, Static, Tuple, kind_of
from gpuedu.trace import Place, Space

I4, I8, F4, F8 = (np.dtype(t) for t in (np.int32, np.int64, np.float32, np.float64))
HERE = Place("k", 1)
TEST = Slot("test", np.dtype(bool))


def number(dtype: np.dtype, value: float = 1) -> Scalar:
    return Scalar(Const(dtype.type(value)))


def array(dtype: np.dtype = F4, ndim: int = 1, *, readonly: bool = False) -> Array:
    return Array(ArraySlot("a_1", ArrayType(dtype, ndim, Space.GLOBAL, readonly)))


def builder() -> Builder:
    return Builder(Tables())


def assigns(b: Builder, **values):
    return lambda: [b.assign(name, value) for name, value in values.items()]


# Kinds


def test_kinds_unify_as_numba_does():
    assert unify_kinds(("scalar", I4), ("scalar", F4)) == ("scalar", F8)
    assert unify_kinds(kind_of(array()), kind_of(array(readonly=True)))[-1] is True
    pair = kind_of(Tuple((number(I8), number(F4))))
    other = kind_of(Tuple((number(F8), number(F4))))
    assert unify_kinds(pair, other) == ("tuple", (("scalar", F8), ("scalar", F4)), ())


@pytest.mark.parametrize(
    "first, second",
    [
        (number(I8), array()),
        (array(F4), array(F8)),
        (array(ndim=1), array(ndim=2)),
        (Tuple((number(I8),)), Tuple((number(I8), number(I8)))),
        (Static(None), array()),
    ],
)
def test_kinds_without_a_common_one(first, second):
    with pytest.raises(TypingError) as caught:
        unify_kinds(kind_of(first), kind_of(second))
    assert caught.value.remedy
    assert say(kind_of(first)) in str(caught.value) and say(kind_of(second)) in str(caught.value)


def test_convert_casts_only_what_differs():
    value = Tuple((number(I8), number(F8)))
    first, second = convert(value, ("tuple", (("scalar", F8), ("scalar", F8)), ()))
    assert isinstance(first, Cast) and first.dtype == F8
    assert second is value.items[1].expression


def test_moves_without_a_value_name_the_slots():
    target = Tuple((Scalar(Slot("x", I8)), Scalar(Slot("y", F8))))
    made = moves(target, None, kind_of(target))
    assert [(slot.name, value) for slot, value in made] == [("x", None), ("y", None)]


# Names


def test_a_name_holds_the_value_of_its_time():
    b = builder()
    b.assign("x", number(I8))
    first = b.names["x"]
    b.assign("y", Scalar(Cast(Slot("n", I4), I8)))
    held = b.names["y"].expression
    assert isinstance(held, Slot) and isinstance(b.block[-1], Set) and b.block[-1].slot is held
    b.assign("x", number(I8, 2))
    assert b.names["x"] is not first


def test_after_a_branch_only_needed_names_are_joined():
    b = builder()
    b.names = {"x": number(I8), "y": number(I8)}
    b.branch(
        TEST,
        assigns(b, x=number(I8, 2), y=number(I8, 3)),
        assigns(b, x=number(F4, 4)),
        {"x"},
    )
    (statement,) = b.block
    assert isinstance(statement, If) and len(statement.joins) == 1
    slot, first, second = statement.joins[0]
    assert slot.dtype == F8 and first.dtype == second.dtype == F8
    assert b.names["x"].expression is slot and "y" not in b.names


def test_an_unchanged_name_needs_no_join():
    b = builder()
    b.names = {"x": number(I8)}
    before = b.names["x"]
    b.branch(TEST, assigns(b, y=number(I8)), lambda: None, {"x"})
    assert b.names["x"] is before
    assert b.block[0].joins == []


def test_types_that_clash_are_no_error_until_they_are_read():
    b = builder()
    b.branch(TEST, assigns(b, x=array()), assigns(b, x=number(I8)), {"x"})
    assert isinstance(b.names["x"], Clash)


def test_a_side_that_left_has_no_say():
    b = builder()
    b.names = {"x": number(I8)}

    def leave() -> None:
        b.assign("x", array())
        b.leave_function(None)

    b.branch(TEST, leave, assigns(b, x=number(F4)), {"x"})
    assert kind_of(b.names["x"]) == ("scalar", F4)
    assert b.block[0].joins == []


def test_nothing_is_emitted_where_no_thread_gets():
    b = builder()
    b.leave_function(None)
    assert b.names is None and len(b.block) == 1
    b.assign("x", number(I8))
    b.emit(Break())
    b.branch(TEST, assigns(b, x=number(I8)), lambda: None, {"x"})
    assert len(b.block) == 1


# Loops


def lower(b: Builder, body):
    """A loop whose body is what ``body`` makes."""

    def fill(statement: Loop) -> None:
        statement.condition = TEST
        with b.lowering(statement.body):
            body()

    return fill


def test_a_carried_name_widens_until_it_settles():
    b = builder()
    b.names = {"x": number(I4), "y": number(I8)}
    turns = []

    def body() -> None:
        turns.append(b.names["x"].dtype)
        b.assign("x", b.names["y"])
        b.assign("y", number(F8))

    b.loop(lower(b, body), {"x", "y"}, HERE)
    assert turns[0] == I4 and turns[-1] == F8
    assert kind_of(b.names["x"]) == kind_of(b.names["y"]) == ("scalar", F8)
    (statement,) = b.block
    assert all(value.dtype == F8 for _, value in [*statement.entry, *statement.again])


def test_discarded_attempts_leave_nothing_in_the_tables():
    b = builder()
    b.names = {"x": number(I4)}

    def body() -> None:
        b.tables.add("branches", object())
        b.assign("x", number(F8))

    b.loop(lower(b, body), {"x"}, HERE)
    assert len(b.tables.branches) == 1


def test_a_break_brings_its_own_values():
    b = builder()
    b.names = {"x": number(I8)}

    def body() -> None:
        def leave() -> None:
            b.assign("x", number(F8, 0.5))
            b.leave_loop()

        b.branch(TEST, leave, lambda: None, {"x"})
        b.assign("x", number(I8, 7))

    b.loop(lower(b, body), {"x"}, HERE)
    (statement,) = b.block
    assert kind_of(b.names["x"]) == ("scalar", F8)
    assert statement.leave[0][0] is b.names["x"].expression
    (jump,) = (s for s in statement.body[0].then if isinstance(s, Break))
    assert [slot.dtype for slot, _ in jump.moves] == [F8]


def test_a_name_that_a_loop_alone_knows_begins_as_zero():
    b = builder()
    b.loop(lower(b, assigns(b, x=number(F4))), {"x"}, HERE)
    (statement,) = b.block
    assert [(slot.dtype, value.value) for slot, value in statement.entry] == [(F4, 0)]


def test_a_loop_that_cannot_settle_is_refused():
    b = builder()
    b.names = {"x": number(I8)}
    with pytest.raises(TypingError, match="`x` is int64 before the loop turns"):
        b.loop(lower(b, assigns(b, x=array())), {"x"}, HERE)


# Functions


def returns(b: Builder, value) -> object:
    return lambda: b.leave_function(value)


def test_results_of_all_returns_meet_in_one_slot():
    b = builder()

    def body() -> None:
        b.branch(TEST, returns(b, number(I8)), returns(b, number(F4)), ())

    result = b.inline({}, body, "f")
    assert kind_of(result) == ("scalar", F8)
    (statement,) = b.block
    assert isinstance(statement, Inline)
    ends = [s for side in (statement.body[0].then, statement.body[0].orelse) for s in side]
    targets = [s.moves[0][0] for s in ends if isinstance(s, Return)]
    assert targets == [result.expression] * 2


def test_names_of_a_function_stay_inside():
    b = builder()
    b.names = {"x": number(I8)}
    outer = b.names["x"]
    b.inline({"x": number(F4)}, assigns(b, y=number(I8)), "f")
    assert b.names == {"x": outer}


def test_where_python_gives_none_a_number_may_be_missing():
    b = builder()
    result = b.inline(
        {}, lambda: b.branch(TEST, returns(b, number(I8)), lambda: None, ()), "f", has_none=True
    )
    assert kind_of(result) == ("optional", np.dtype(I8))
    assert unify_kinds(kind_of(result), kind_of(number(F4))) == ("optional", np.dtype("f8"))


def test_a_function_without_return_gives_none():
    result = builder().inline({}, lambda: None, "f")
    assert isinstance(result, Static) and result.object is None


def test_a_result_on_some_paths_only_is_refused():
    b = builder()
    with pytest.raises(TypingError, match="some paths"):
        b.inline({}, lambda: b.branch(TEST, returns(b, number(I8)), lambda: None, ()), "f")


def test_tables_can_be_taken_back():
    tables = Tables()
    tables.add("fences", "device")
    mark = tables.mark()
    assert tables.add("fences", "block") == 1
    tables.note_variable("x", number(I8))
    tables.note_variable("a", array())
    assert tables.variables == [("x", "int64")]
    tables.rewind(mark)
    assert tables.fences == ["device"] and tables.variables == []
