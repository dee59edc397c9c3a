"""In the tab: run modules of Numba-CUDA's own tests on the machine.

What ``tests/conformance/not_covered.toml`` lists is left out, as it is natively. A test that needs
Numba itself, beyond the names in ``numba_names.py``, is skipped and says so.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

OPTIONS = (
    "--import-mode=importlib --capture=sys -q -W ignore -p no:cacheprovider -p no:faulthandler"
    " -p tests.tab.in_tab -p tests.tab.numba_tests"
)

# Folders whose tests hold parts of Numba against each other.
NUMBAS_OWN = ("core", "nocuda")


def prepare() -> None:
    """Put the machine in Numba's place."""
    from tests.tab import numba_names, pure

    pure.admit()
    numba_names.MODULES["numba.cuda.random"] = numba_names.random
    numba_names.install()
    for name in ("cudadrv.devicearray", "cudadrv.driver"):
        importlib.import_module(f"numba.cuda.{name}")
    from tests.conformance import stand_in

    stand_in.install()


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out what the list names."""
    from tests.conformance.plugin import identity, reason_for
    from tests.conformance.run import not_covered

    patterns = not_covered() + [(f"{folder}/*", "no kernel runs there") for folder in NUMBAS_OWN]
    items[:] = [item for item in items if reason_for(identity(item), patterns) is None]


def main() -> int:
    """The status of pytest."""
    prepare()
    import pytest

    from tests.tab.numba_names import SUITE

    configuration = Path("/tmp/pytest.ini")
    configuration.write_text("[pytest]\n")
    modules = [f"{SUITE}/{module}" for module in sys.argv[1:]] or [SUITE]
    arguments = ["-c", str(configuration), f"--rootdir={SUITE}", *OPTIONS.split(), *modules]
    return pytest.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
