from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import table
from gpuedu.arrays.account import operations
from gpuedu.simt.host.transfers import transfers

PARAMETERS = {
    "a": 2.0, "b": 3.0, "n": 10, "p": 0.4, "df": 3.0, "scale": 1.5, "dfnum": 3.0, "dfden": 9.0,
    "shape": 2.0, "ngood": 5, "nbad": 6, "nsample": 4, "nonc": 1.0, "left": 0.0, "mode": 0.5,
    "right": 1.0, "mu": 0.0, "kappa": 2.0, "mean": 1.0, "low": 3,
}  # fmt: skip


def distributions():
    for entry in table.entries():
        owner = entry.name.partition(".")[0]
        if owner in ("RandomState", "Generator"):
            yield pytest.param(entry, id=entry.name)


@pytest.mark.parametrize("entry", list(distributions()))
def test_a_distribution_draws_on_the_device(entry):
    owner, _, name = entry.name.partition(".")
    needed = [p.name for p in entry.signature.parameters.values() if p.default is p.empty]
    given = {
        key: cp.array([1.0, 2.0, 3.0]) if key == "alpha" else PARAMETERS[key] for key in needed
    }
    if owner == "RandomState":
        sources = [cp.random.RandomState(4), cp.random.RandomState(4)]
    else:
        sources = [cp.random.default_rng(4), cp.random.default_rng(4)]
    before = len(transfers())
    first, again = (getattr(source, name)(**given, size=(50, 2)) for source in sources)
    assert len(transfers()) == before
    assert first.shape[:2] == (50, 2) and len(operations()) >= 2
    np.testing.assert_array_equal(first.get(), again.get())
    if "dtype" in entry.signature.parameters:
        assert first.dtype == entry.signature.parameters["dtype"].default
    assert len(np.unique(first.get())) > 2


def test_the_distributions_are_what_they_are_called():
    cp.random.seed(11)
    x = cp.random.randn(20_000).get()
    assert abs(x.mean()) < 0.05 and abs(x.std() - 1) < 0.05
    u = cp.random.rand(100, 200, dtype=np.float32)
    assert u.dtype == np.float32 and 0 <= float(u.min()) < 0.01 < 0.99 < float(u.max()) < 1
    k = cp.random.randint(3, 7, 5000, dtype=np.int8)
    assert k.dtype == np.int8 and np.unique(k.get()).tolist() == [3, 4, 5, 6]
    assert 4.9 < cp.random.normal(5, cp.array(0.1), 1000).get().mean() < 5.1


def test_the_seed_decides():
    found = []
    for seed in (3, 3, 4):
        cp.random.seed(seed)
        found.append(cp.random.random(5).get())
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).all()


def test_permutations_and_choices():
    state = cp.random.RandomState(2)
    assert sorted(state.permutation(6).get()) == list(range(6))
    array = cp.arange(12).reshape(4, 3)
    rows = state.permutation(array)
    assert rows.base is None and sorted(rows.get()[:, 0]) == [0, 3, 6, 9]
    state.shuffle(array)
    assert sorted(array.get()[:, 0]) == [0, 3, 6, 9]
    chosen = state.choice(cp.arange(10), 4, replace=False)
    assert len(set(chosen.get())) == 4
    assert set(state.choice(3, 200, p=cp.array([0.5, 0.5, 0.0])).get()) == {0, 1}
    for wrong in (lambda: state.permutation([1, 2]), lambda: state.choice([1, 2])):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    with pytest.raises(TypeError):
        state.shuffle(np.arange(3))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: cp.random.normal(np.zeros(3)),
        lambda: cp.random.normal(dtype=np.float16),
        lambda: cp.random.uniform(0, 1, 3, float, 7),
        lambda: cp.random.set_random_state(3),
    ],
)
def test_arguments_are_checked(wrong):
    with pytest.raises(TypeError):
        wrong()


def test_the_modules_state_can_be_changed():
    before = cp.random.get_random_state()
    try:
        cp.random.set_random_state(cp.random.RandomState(9))
        first = float(cp.random.rand())
        assert first == float(cp.random.RandomState(9).rand())
        cp.random.reset_states()
        assert float(cp.random.rand()) != first
    finally:
        cp.random.set_random_state(before)


def test_results_may_have_a_place():
    out = cp.zeros(4, np.float32)
    assert cp.random.default_rng(1).random(out=out, dtype=np.float32) is out
    assert (out.get() > 0).all()
