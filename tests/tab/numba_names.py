"""In the tab: the names of Numba that tests import, where there is no Numba.

``numba.cuda`` has the names of the machine's own ``cuda``, and there are the scalar types. Any other
name can be imported, and raises ModuleNotFoundError where it is used: a
test that does more than to import it needs Numba itself. Numba-CUDA's own tests find their files
and their base classes here, and then ``tests/conformance/stand_in.py`` does with these modules what
it does with the real ones.
"""

from __future__ import annotations

import importlib
import sys
import unittest
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from tests.tab import numba_types

SUITE_NAME = "numba.cuda.tests"
SUITE = "/packages/numba_cuda/numba/cuda/tests"
Names = dict[str, Any]


class Absent:
    """A name of Numba that is not here: to import it is fine, to use it is not."""

    def __init__(self, name: str) -> None:
        vars(self)["_name"] = name

    def _lacks(self, *_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(f"No Numba here, and no {self._name}", name=self._name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    __call__ = __getitem__ = __iter__ = __mro_entries__ = __contains__ = _lacks


def cuda() -> Names:
    """``numba.cuda``."""
    from gpuedu.simt.host import cuda

    ours = {name: value for name, value in vars(cuda).items() if not name.startswith("__")}
    return numba_types.names() | ours | {"HAS_NUMBA": False}


def numba() -> Names:
    """``numba`` itself."""
    return numba_types.names() | {
        "from_dtype": from_dtype,
        "literal_unroll": cuda()["literal_unroll"],
        "typeof": numba_types.typeof,
    }


def from_dtype(dtype: Any) -> Any:
    """Numba's type of a dtype's numbers."""
    return numba_types.scalar(np.dtype(dtype))


def random() -> Names:
    """``numba.cuda.random``."""
    from gpuedu.simt.host import random

    return {name: value for name, value in vars(random).items() if not name.startswith("_")}


def errors() -> Names:
    """The classes of errors and warnings, which nothing raises as they stand."""
    found: Names = {"NumbaError": type("NumbaError", (Exception,), {})}
    for name in ["TypingError", "LoweringError", "UnsupportedError"]:
        found[name] = type(name, (found["NumbaError"],), {})
    found["NumbaTypeError"] = found["TypingError"]
    found["UnsupportedBytecodeError"] = found["UnsupportedError"]
    found["NumbaWarning"] = type("NumbaWarning", (Warning,), {})
    return found


def config() -> Names:
    """Numba's switches, as they are by default."""
    return {
        "ENABLE_CUDASIM": True,
        "CUDA_LOW_OCCUPANCY_WARNINGS": 1,
        "CUDA_WARN_ON_IMPLICIT_COPY": 1,
        "CUDA_DEBUGINFO_DEFAULT": 0,
        "CUDA_MEMORY_MANAGER": "default",
        "CUDA_ENABLE_NRT": False,
        "OPT": 3,
        "IS_WIN32": False,
    }


def testing() -> Names:
    """The base class of the suite's tests; what needs the driver's features is not left out."""
    from numba.cuda.tests.support import TestCase

    class CUDATestCase(TestCase):
        FLOAT16_RTOL = np.finfo(np.float16).eps

        def setUp(self) -> None:
            switches = sys.modules["numba.cuda.core.config"]
            for name in ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY"):
                self.addCleanup(setattr, switches, name, getattr(switches, name))
                setattr(switches, name, 0)

    class ForeignArray:
        def __init__(self, array: Any) -> None:
            self._array = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    def leave_in(test_or_reason: Any) -> Any:
        return (lambda test: test) if isinstance(test_or_reason, str) else test_or_reason

    skips = """
        skip_on_cudasim skip_unless_cudasim skip_if_external_memmgr skip_under_cuda_memcheck
        skip_on_arm skip_on_wsl2 skip_if_nvjitlink_missing skip_on_nvjitlink_13_1_sm_120
        skip_unless_cc_50 skip_unless_cc_53 skip_unless_cc_60 skip_unless_cc_75 skip_unless_cc_90
        skip_if_cudadevrt_missing xfail_unless_cudasim
    """
    return dict.fromkeys(skips.split(), leave_in) | {
        "CUDATestCase": CUDATestCase,
        "ForeignArray": ForeignArray,
        "cc_X_or_above": lambda major, minor: True,
        "skip_on_standalone_numba_cuda": unittest.skip("needs numba, which a tab does not have"),
        "test_data_dir": Path(SUITE, "data"),
        "unittest": unittest,
    }


def numpy_support() -> Names:
    """``numba.cuda.np.numpy_support``."""
    version = tuple(map(int, np.__version__.split(".")[:2]))
    return {
        "from_dtype": from_dtype,
        "numpy_version": version,
    }


MODULES: dict[str, Callable[[], Names]] = {
    "numba": numba,
    "numba.cuda.misc.special": lambda: {"literal_unroll": cuda()["literal_unroll"]},
    "numba.types": numba_types.names,
    "numba.core.types": numba_types.names,
    "numba.cuda.types": numba_types.names,
    "numba.cuda": cuda,
    "numba.core.sigutils": lambda: {"normalize_signature": numba_types.normalize_signature},
    "numba.core.typing.typeof": lambda: {"typeof": numba_types.typeof},
    "numba.core.typeconv.rules": lambda: {"default_type_manager": numba_types.TypeManager()},
    "numba.core.errors": errors,
    "numba.cuda.core.errors": errors,
    "numba.cuda.errors": errors,
    "numba.cuda.core.config": config,
    "numba.cuda.testing": testing,
    "numba.cuda.np.numpy_support": numpy_support,
    "numba.cuda.typing.cffi_utils": lambda: {"SUPPORTED": False},
    "numba.cuda.memory_management.nrt": lambda: {"rtsys": SimpleNamespace()},
    "numba.cuda.utils": lambda: {"PYVERSION": sys.version_info[:2]},
}


class NumbaModule(ModuleType):
    """A module of Numba that has some names; the others are absent."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        is_module = any(f"{known}.".startswith(f"{full}.") for known in (*MODULES, SUITE_NAME))
        return importlib.import_module(full) if is_module else Absent(full)


# A test that looks for one of these looks for Numba's own code, to hold ours against it.
NOT_FOUND = frozenset({"numba.cuda.random", "numba.cuda._internal", "numba.cuda.itanium_mangler"})


class NumbaNames(MetaPathFinder, Loader):
    """Finds every module of Numba but ``NOT_FOUND`` and those of the suite, which are files."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A package for any name under ``numba``."""
        if name == SUITE_NAME:
            return spec_from_file_location(
                name, f"{SUITE}/__init__.py", submodule_search_locations=[SUITE]
            )
        is_here = name in MODULES or name not in NOT_FOUND
        is_file = name.startswith(f"{SUITE_NAME}.")
        if name.partition(".")[0] not in ("numba", "cuda") or is_file or not is_here:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty one."""
        return (NumbaModule if spec.name.startswith("numba") else ModuleType)(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill in the names that it has."""
        vars(module).update(MODULES.get(module.__name__, dict)())


def install() -> None:
    """From now on ``import numba`` finds these names; no package of that name is there."""
    sys.meta_path.append(NumbaNames())
    import numba.cuda
    from numba.cuda.core import config

    numba.__spec__ = None
    numba.cuda.config = config
