"""``cp.random``: random numbers on the device, by NumPy's generator.

The distributions are CuPy's, but the numbers are not: a GPU gives different ones for a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays import table
from gpuedu.arrays.account import note_operation
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.fusing import require_fusible
from gpuedu.arrays.lists import cupy_names, missing
from gpuedu.arrays.ndarray import ndarray
from gpuedu.arrays.wrap import call, unsupported


def _draw(entry: table.Entry, generator: np.random.Generator, args: Any, kwargs: Any) -> ndarray:
    """Numbers of one distribution, by the table's signature of it."""
    try:
        bound = entry.signature.bind(*args, **kwargs)
    except TypeError as fault:
        raise DeviceArrayTypeError(f"{entry.name}: {fault}") from None
    for name, asked in entry.asks.items():
        if name in bound.arguments:
            bound.arguments[name] = table.accepted(bound.arguments[name], asked)
    bound.apply_defaults()
    given = dict(bound.arguments)
    dtype = _dtype(entry, given.pop("dtype", None))
    size, out = given.pop("size"), given.pop("out", None)
    given.pop("method", None)
    numpy_name = entry.numpy_name.rpartition(".")[2]
    if numpy_name == "integers":
        given["dtype"] = dtype

    def compute(*parameters: Any) -> np.ndarray:
        named = dict(zip(given, parameters, strict=True))
        shape = out.shape if out is not None else size
        found = np.asarray(getattr(generator, numpy_name)(**named, size=shape))
        return found if dtype is None else found.astype(dtype)

    result = call(entry.name, compute, tuple(given.values()), {})
    if out is None:
        return result
    out[...] = result
    return out


def _dtype(entry: table.Entry, dtype: Any) -> np.dtype | None:
    """The dtype asked for, where CuPy has the distribution in it."""
    if dtype is None:
        return None
    found = np.dtype(dtype)
    is_real = entry.signature.parameters["dtype"].default is float
    if is_real and found.char not in "fd":
        raise DeviceArrayTypeError(
            f"cupy.random only supports float32 and float64, not {found}",
            remedy="draw float32, then astype",
        )
    return found


def _method(entry: table.Entry) -> Callable[..., ndarray]:
    def method(self: Any, *args: Any, **kwargs: Any) -> ndarray:
        return _draw(entry, self._generator, args, kwargs)

    method.__name__ = method.__qualname__ = entry.name.rpartition(".")[2]
    method.__doc__ = f"Numbers by ``numpy.random.Generator.{entry.numpy_name.rpartition('.')[2]}``."
    return method


class RandomState:
    """A seeded source of random numbers: ``cp.random.RandomState(seed)``."""

    def __init__(self, seed: Any = None, method: Any = None) -> None:
        self.seed(seed)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.random.RandomState", name)

    def seed(self, seed: Any = None) -> None:
        """Start again from ``seed``; without one, at random."""
        self._generator = np.random.default_rng(seed)

    def rand(self, *size: int, dtype: Any = float) -> ndarray:
        """Uniform numbers from 0 up to, but not including, 1."""
        return self.random_sample(size or None, dtype=dtype)  # type: ignore[attr-defined]

    def randn(self, *size: int, dtype: Any = float) -> ndarray:
        """Numbers of the standard normal distribution."""
        return self.standard_normal(size or None, dtype=dtype)  # type: ignore[attr-defined]

    def permutation(self, a: Any) -> ndarray:
        """The numbers up to ``a``, or an array's rows, in random order."""
        if isinstance(a, ndarray):
            return call("permutation", self._generator.permutation, (a,), {})
        if not isinstance(a, (int, np.integer)):
            raise unsupported(a)
        return call("permutation", lambda: self._generator.permutation(int(a)), (), {})

    def shuffle(self, a: ndarray) -> None:
        """Put an array's rows into random order, in place."""
        if not isinstance(a, ndarray):
            raise DeviceArrayTypeError("The array must be cupy.ndarray")
        require_fusible("random.shuffle")
        self._generator.shuffle(a.elements())
        note_operation("shuffle", a.nbytes, a.nbytes)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: ndarray | None = None
    ) -> ndarray:
        """Elements of ``a``, or numbers below it, with probabilities ``p``."""
        if p is not None and not isinstance(p, ndarray):
            raise unsupported(p)
        if not isinstance(a, (ndarray, int, np.integer)):
            raise DeviceArrayValueError("a must be a positive integer or a 1-D device array")

        def compute(a: Any, p: Any) -> np.ndarray:
            return np.asarray(self._generator.choice(a, size, replace, p))

        return call("choice", compute, (a, p), {})


class Generator:
    """A source of random numbers with the newer interface: ``cp.random.default_rng(seed)``."""

    def __init__(self, bit_generator: Any = None) -> None:
        self.bit_generator = bit_generator
        self._generator = np.random.default_rng(bit_generator)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.random.Generator", name)


for _entry in table.entries():
    _class, _, _name = _entry.name.partition(".")
    if _class in ("RandomState", "Generator"):
        setattr(
            {"RandomState": RandomState, "Generator": Generator}[_class], _name, _method(_entry)
        )

_state = RandomState()


def default_rng(seed: Any = None) -> Generator:
    """``cupy.random.default_rng``: a new Generator."""
    return Generator(seed)


def get_random_state() -> RandomState:
    """``cupy.random.get_random_state``: the one that the module's functions use."""
    return _state


def set_random_state(rs: RandomState) -> None:
    """``cupy.random.set_random_state``: set the one that the module's functions use."""
    global _state
    if not isinstance(rs, RandomState):
        raise DeviceArrayTypeError(
            f"Random state must be an instance of RandomState. Actual: {type(rs)}"
        )
    _state = rs


def reset_states() -> None:
    """``cupy.random.reset_states``: start again at random."""
    set_random_state(RandomState())


def _from_state(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return getattr(_state, name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``cupy.random.{name}``: of the module's own RandomState."
    return function


globals().update(
    {
        name: _from_state(name)
        for name in cupy_names("cupy.random") & set(dir(RandomState))
        if not name.startswith("_")
    }
)
random = ranf = sample = _from_state("random_sample")


def __getattr__(name: str) -> Any:
    raise missing("cupy.random", name)


def __dir__() -> list[str]:
    return sorted(set(globals()) & cupy_names("cupy.random"))
