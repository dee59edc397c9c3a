from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import table
from gpuedu.simt.host.transfers import transfers

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
            if asked == "I":
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
