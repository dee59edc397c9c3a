"""What a profiled script did, as plain records: made once, read by findings, pages and traces.

Times are seconds on the host's clock, from the start of the watching. Steps are numbered from 1.
A place is a line of the script, or of a module of the user's; libraries are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.training.call_sites import CallSite
from gpuedu.training.memory.records import Ledger


@dataclass(frozen=True)
class StepTime:
    """One step: from the end of the one before to the end of its optimizer's.

    ``phase`` is "warm-up", "counted" (every operator was watched, so that its time says nothing) or
    "timed" (nothing was watched but the data loader). ``batches`` is how many came from loaders.
    """

    number: int
    phase: str
    start_s: float
    time_s: float
    batches: int


@dataclass(frozen=True)
class Call:
    """A call that makes the host wait, or copies.

    ``kind`` is that of ``gpuedu.training.synchronizations``, or "queued copy". ``name`` is the
    function. ``is_pinned`` and ``size_bytes`` describe what is copied to the device, ``numbers`` a
    constant: what was copied, if it was made from Python numbers. ``inside`` is the line of an
    installed library that made the call, as ``package/file.py:12``, or "".
    """

    kind: str
    name: str
    site: CallSite
    step: int
    start_s: float
    size_bytes: int = 0
    is_pinned: bool = False
    numbers: str = ""
    inside: str = ""


@dataclass(frozen=True)
class Operator:
    """An operator that computes, or copies on the device: at least one launch.

    ``part`` is "forward" (also everything that is neither of the others), "backward" or "update".
    ``elements`` is the size of the largest tensor in it. ``is_loop`` marks an optimizer's loop over
    parameters, which PyTorch uses only on a CPU. ``is_odd`` marks a product in half precision with
    an inner or last size that is not a multiple of 8. ``is_widening`` marks float64 made from other
    types.
    """

    name: str
    site: CallSite
    step: int
    start_s: float
    time_s: float
    part: str
    elements: int
    flop: int
    dtype: str
    is_loop: bool = False
    is_odd: bool = False
    is_widening: bool = False


@dataclass(frozen=True)
class Loader:
    """What a data loader was told; ``dataset`` is its dataset's class."""

    workers: int
    pin_memory: bool
    dataset: str


@dataclass(frozen=True)
class Wait:
    """A loop waited for a loader's next batch; ``step`` is the one that it belongs to."""

    loader: Loader
    step: int
    phase: str
    start_s: float
    time_s: float
    site: CallSite | None = None


@dataclass(frozen=True)
class Kept:
    """Tensors that keep graphs of earlier steps alive; ``steps`` of them.

    ``holder`` names the variable where it was found, ``size_bytes`` what a step leaves behind.
    """

    site: CallSite
    holder: str
    steps: int
    size_bytes: int


@dataclass(frozen=True)
class Evaluation:
    """A model in eval mode that was called with gradients on and had no backward pass."""

    site: CallSite
    model: str
    calls: int


@dataclass(frozen=True)
class OptimizerFacts:
    """An optimizer: its class, how many tensors it moves, and whether it was told to loop."""

    name: str
    tensors: int
    is_told_to_loop: bool
    site: CallSite


@dataclass(frozen=True)
class GraphBreak:
    """Why a compiled graph ends at a line; ``model`` names what was compiled."""

    model: str
    site: CallSite
    reason: str


@dataclass(frozen=True)
class Memory:
    """The counted steps' memory: who holds what at the peak (rows by kind and line), and growth.

    ``grown_bytes`` is what a step leaves behind other than weights, gradients and optimizer states.
    """

    peak: Ledger
    grown_bytes: float
    grown_at: CallSite | None
    places: dict[str, CallSite]


@dataclass(frozen=True)
class Watched:
    """Everything that was seen of a script.

    ``stand_in`` says that CPU tensors stood in for a GPU's; ``is_never_moved`` that the script has
    no device at all, ``is_unwatched`` that this is a rank beside the one that is watched. ``end``
    says in a sentence how it ended. ``slow_line`` is the line of a dataset in which most samples
    fell, with their share. ``compiled`` counts what was handed to ``torch.compile``; ``files`` are
    the user's own; ``notes`` are sentences for the reader.
    """

    script: str
    device: str
    stand_in: bool
    end: str
    steps: tuple[StepTime, ...] = ()
    calls: tuple[Call, ...] = ()
    operators: tuple[Operator, ...] = ()
    waits: tuple[Wait, ...] = ()
    kept: tuple[Kept, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    optimizers: tuple[OptimizerFacts, ...] = ()
    memory: Memory | None = None
    slow_line: tuple[CallSite, float] | None = None
    compiled: int = 0
    breaks: tuple[GraphBreak, ...] = ()
    is_autocast: bool = False
    is_tf32: bool = False
    is_never_moved: bool = False
    is_unwatched: bool = False
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def of_phase(self, phase: str) -> tuple[StepTime, ...]:
        """The steps of a phase."""
        return tuple(one for one in self.steps if one.phase == phase)

    @property
    def counted(self) -> int:
        """How many steps were counted."""
        return len(self.of_phase("counted"))
