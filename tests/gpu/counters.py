"""What both sides count: the lens's sums for a launch, and Nsight Compute's names for them."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.trace import AccessSite, Operation, Space, Trace


@dataclass(frozen=True)
class Counter:
    """A count of a launch.

    ``measure`` is the field of an access site that is summed over the sites with this ``space``
    and ``operation``. ``metrics`` are Nsight Compute's, to be added up. Where the two need not mean
    the same thing, ``caveat`` says why, and the counter is printed but not judged.
    """

    space: Space
    operation: Operation
    measure: str
    metrics: tuple[str, ...]
    caveat: str = ""

    def of(self, trace: Trace) -> int:
        """The machine's count."""
        return sum(self._count(s) for s in trace.sites if self._covers(s))

    def _covers(self, site: AccessSite) -> bool:
        return (site.space, site.operation) == (self.space, self.operation)

    def _count(self, site: AccessSite) -> int:
        if self.measure == "conflicts":
            return int((site.wavefronts - site.ideal_wavefronts).sum())
        return int(getattr(site, self.measure).sum())


def _global(what: str, operation: Operation, *names: str, caveat: str = "") -> Counter:
    metrics = tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{name}.sum" for name in names)
    return Counter(Space.GLOBAL, operation, what, metrics, caveat)


def _shared(measure: str, operation: Operation, metric: str, caveat: str = "") -> Counter:
    return Counter(Space.SHARED, operation, measure, (metric,), caveat)


_LOAD, _STORE, _ATOMIC = Operation.LOAD, Operation.STORE, Operation.ATOMIC
_PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
_INSTRUCTIONS = "smsp__inst_executed_op_shared_{}.sum"
_SWITCHED_OFF = "instructions are counted also where the predicate of every lane is off"
_UNDEFINED = "NVIDIA does not document what is a conflict for each width; wavefronts are judged"
_IN_L2 = "atomics are carried out in L2; what L1 passes on is not documented"

COUNTERS: dict[str, Counter] = {
    "global load requests": _global("requests", _LOAD, "ld"),
    "global load sectors": _global("sectors", _LOAD, "ld"),
    "global store requests": _global("requests", _STORE, "st"),
    "global store sectors": _global("sectors", _STORE, "st"),
    # An atomic whose result is not used compiles to a reduction, which has a name of its own.
    "global atomic requests": _global("requests", _ATOMIC, "atom", "red"),
    "global atomic sectors": _global("sectors", _ATOMIC, "atom", "red", caveat=_IN_L2),
    "shared load requests": _shared("requests", _LOAD, _INSTRUCTIONS.format("ld"), _SWITCHED_OFF),
    "shared load wavefronts": _shared("wavefronts", _LOAD, _PASSES.format("ld")),
    "shared load conflicts": _shared("conflicts", _LOAD, _CONFLICTS.format("ld"), _UNDEFINED),
    "shared store requests": _shared("requests", _STORE, _INSTRUCTIONS.format("st"), _SWITCHED_OFF),
    "shared store wavefronts": _shared("wavefronts", _STORE, _PASSES.format("st")),
    "shared store conflicts": _shared("conflicts", _STORE, _CONFLICTS.format("st"), _UNDEFINED),
}


def count(trace: Trace) -> dict[str, int]:
    """Every counter of a launch as the machine has it."""
    return {name: counter.of(trace) for name, counter in COUNTERS.items()}


def metrics() -> tuple[str, ...]:
    """All of Nsight Compute's names that are asked for."""
    return tuple(metric for counter in COUNTERS.values() for metric in counter.metrics)


def from_metrics(values: dict[str, float]) -> dict[str, int]:
    """The counters that a GPU's metrics give; those that it could not give are left out."""
    return {
        name: round(sum(values[metric] for metric in counter.metrics))
        for name, counter in COUNTERS.items()
        if all(metric in values for metric in counter.metrics)
    }
