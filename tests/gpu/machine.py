"""The machine's side: each kernel of the table is run by ``simulate`` and held against NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.simt import simulate
from tests.gpu.case import Case, worst_difference
from tests.gpu.counters import count


@dataclass(frozen=True)
class MachineRun:
    """What the machine made of a case.

    ``arrays`` are all array arguments after the run, ``apart`` their worst difference from the
    oracle, ``hazards`` the kinds found (a correct kernel has none), ``counts`` by counter.
    """

    case: Case
    arrays: tuple[np.ndarray, ...]
    apart: float
    hazards: tuple[str, ...]
    counts: dict[str, int]

    @property
    def is_right(self) -> bool:
        """Whether the result is the oracle's and nothing was found."""
        return self.apart <= self.case.tolerance and not self.hazards


def arrays_of(arguments: tuple[object, ...]) -> tuple[np.ndarray, ...]:
    """The arrays among the arguments."""
    return tuple(value for value in arguments if isinstance(value, np.ndarray))


def expected_of(case: Case) -> tuple[np.ndarray, ...]:
    """The arrays as the oracle leaves them."""
    arguments = case.arguments()
    case.oracle(*arguments)
    return arrays_of(arguments)


def run_on_machine(case: Case) -> MachineRun:
    """Run a case on the SIMT machine, traced."""
    arguments = case.arguments()
    trace = simulate(
        case.kernel,
        case.grid,
        case.block,
        *arguments,
        dynamic_shared_bytes=case.dynamic_shared_bytes,
    )
    arrays = arrays_of(arguments)
    return MachineRun(
        case,
        arrays,
        apart(arrays, expected_of(case)),
        tuple(finding.kind for finding in trace.hazards),
        count(trace),
    )


def apart(got: tuple[np.ndarray, ...], expected: tuple[np.ndarray, ...]) -> float:
    """The worst difference over all arrays."""
    return max(worst_difference(g, e) for g, e in zip(got, expected, strict=True))
