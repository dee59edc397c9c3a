from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import table
from gpuedu.simt.host.transfers import reset_transfers, transfers

HOST = np.arange(6.0).reshape(2, 3)


def test_a_line_is_read_whole():
    entry = table.parse("linalg.f(a: D, /, b: L=None, *rest: M, c=(1, 2), dtype=float) -> sized")
    assert (entry.name, entry.gives, entry.numpy_name) == ("linalg.f", "sized", "linalg.f")
    assert str(entry.signature) == "(a, /, b=None, *rest, c=(1, 2), dtype=<class 'float'>)"
    assert entry.asks == {"a": "D", "b": "L", "rest": "M"}
    assert table.parse("concat(tup: L) = concatenate").numpy_name == "concatenate"


def strangers():
    """One call for each parameter that asks for a device array, with a host array in its place."""
    for entry in table.entries():
        module, _, name = entry.name.rpartition(".")
        if module in ("ndarray", "RandomState", "Generator"):
            continue
        function = getattr(cp if not module else getattr(cp, module), name)
        needed = [p for p in entry.signature.parameters.values() if p.default is p.empty]
        for parameter, asked in entry.asks.items():
            if asked in "INA":
                continue
            given = {p.name: cp.ones((3, 3)) for p in needed if p.name != parameter}
            yield entry.name, parameter, asked, function, needed, given


@pytest.mark.parametrize("case", list(strangers()), ids=lambda case: f"{case[0]}-{case[1]}")
def test_a_host_array_is_refused_wherever_a_device_array_is_asked_for(case):
    _, parameter, asked, function, needed, given = case
    for host in (HOST, [HOST]) if asked in "LM" else (HOST, HOST.tolist()):
        places = [host if p.name == parameter else given[p.name] for p in needed]
        extra = {} if any(p.name == parameter for p in needed) else {parameter: host}
        with pytest.raises(TypeError, match="Unsupported type"):
            function(*places, **extra)


def counts():
    """One call for each parameter that is a shape, an axis, a count or the like."""
    for entry in table.entries():
        if entry.name.partition(".")[0] in ("ndarray", "RandomState", "Generator"):
            continue
        function = attrgetter(entry.name)(cp)
        parameters = entry.signature.parameters.values()
        needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        for parameter in parameters:
            if parameter.name not in entry.asks and parameter.name != "out":
                yield entry, parameter, function, needed


@pytest.mark.parametrize("case", list(counts()), ids=lambda case: f"{case[0].name}-{case[1].name}")
def test_a_device_array_is_no_count_and_nothing_is_copied(case):
    _, parameter, function, needed = case
    number = cp.asarray(2)
    places = [number if p is parameter else cp.ones((3, 3)) for p in needed]
    name = "more" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
    reset_transfers()
    for value in (number, (number, 1), [number]):
        given = [value if one is number else one for one in places]
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            function(*given, **({} if parameter in needed else {name: value}))
    assert not transfers()


def test_a_number_that_the_host_reads_is_copied():
    number, ones = cp.asarray(3), cp.ones(4)
    for call in (
        lambda: cp.arange(number),
        lambda: cp.histogram(ones, number),
        lambda: cp.histogram(ones, range=(0, number)),
    ):
        reset_transfers()
        call()
        (told,) = transfers()
        assert told.implicit
    assert cp.histogram(ones, cp.asarray([0.0, 1.0, 2.0]))[0].get().tolist() == [0, 4]


def test_an_error_that_may_depend_on_values_is_a_copy():
    reset_transfers()
    with pytest.raises(ValueError, match="out of bounds"):
        cp.unravel_index(cp.asarray(5), (2, 2))
    (told,) = transfers()
    assert told.implicit and told.what == "an error of unravel_index"


def test_arguments_that_cupy_has_not_are_refused():
    array = cp.ones(3)
    for call in (
        lambda: cp.sum(array, where=array > 0),
        lambda: cp.max(array, initial=3),
        lambda: cp.sort(array, stable=True),
        lambda: cp.sum(),
        lambda: array.sum(0, None, None, False, 7),
        lambda: array.mean(where=3),
    ):
        with pytest.raises(TypeError, match=r"argument"):
            call()


def test_arguments_that_numpy_has_not_are_told():
    with pytest.raises(NotImplementedError, match=r"cupy\.argmax\(dtype=\.\.\.\) is not in"):
        cp.argmax(cp.ones(3), dtype=np.int32)


def test_a_method_and_its_function_may_have_another_order():
    array = cp.asarray(HOST)
    out = cp.zeros(3, np.int64)
    assert array.argmax(0, out) is out and out.get().tolist() == [1, 1, 1]
    assert array.clip(1, 2).get().max() == 2 and array.clip(max=3).get().max() == 3


def test_results_whose_size_depends_on_values_make_the_host_wait():
    array = cp.asarray(HOST)
    for function in (cp.nonzero, cp.unique, cp.flatnonzero, cp.argwhere):
        before = len(transfers())
        function(array)
        (told,) = transfers()[before:]
        assert told.implicit and told.size_bytes == 8 and "size of" in told.what


def test_a_function_tells_about_itself():
    assert "numpy.sum" in cp.sum.__doc__ and cp.sum.__name__ == "sum"
    assert cp.linalg.norm.__name__ == "norm" and "cupy.mean" in cp.ndarray.mean.__doc__


def test_parameters_are_known_where_numpy_cannot_name_its_own(monkeypatch):
    def unknown(_):
        raise ValueError("no signature found for builtin")

    with monkeypatch.context() as older:  # NumPy before 2.4
        older.setattr(table.inspect, "signature", unknown)
        arange = table.make(table.parse("arange(start, stop=None, step=1, dtype=None)"))
    assert arange(3, dtype=np.float32).dtype == np.float32
    assert arange(2, 8, 3).tolist() == [2, 5]


def test_what_an_older_numpy_lacks_is_left_out(monkeypatch):
    monkeypatch.delattr(np, "cumulative_sum")  # as before NumPy 2.1
    found = table.functions_of("")
    assert "cumulative_sum" not in found and "cumsum" in found


@pytest.mark.parametrize(
    "running",
    [
        cp.cumsum,
        cp.cumprod,
        cp.nancumsum,
        cp.nancumprod,
        cp.add.accumulate,
        cp.ndarray.cumsum,
        lambda a, out: np.cumsum(a, 0, None, out),
    ],
)
@pytest.mark.parametrize("shape", [(), (1,), (5,)])
def test_running_totals_go_to_no_place_without_axes(running, shape):
    """NumPy would end the program."""
    with pytest.raises(ValueError, match="Provided out is the wrong size"):
        running(cp.ones(shape, "f4"), out=cp.zeros((), "f4"))
