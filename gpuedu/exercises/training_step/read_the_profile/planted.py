"""Profiles of steps on a simulated GPU, each slow for a reason that was planted.

A step is a batch prepared in Python, its copy to the device, layers forward and backward, an update
and a look at the loss. The host issues one thing after another; kernels run in order on a stream,
some on a second one beside it; a copy from ordinary memory holds the host.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gpuedu.profiles import Profile, Span, StepSpan

CAUSES = ("kernels", "copies", "launches", "python")
"""Where a step's time can go, as the learner's function names it."""

DEVICE = "simulated GPU"
_MAIN, _SIDE = "stream 7", "stream 20"
_ISSUE_S, _READ_S, _EDGE_S = 8e-6, 12e-6, 1e-6


@dataclass(frozen=True)
class Plan:
    """What a step takes, in seconds: the host's Python, the copy, each layer, each small kernel.

    ``small`` says how many tiny kernels the update has, times six. ``between_s`` is Python after
    forward, while the device computes; ``tail_s`` is Python at the end. ``beside_s`` is a copy from
    pinned memory that runs beside the kernels, ``back_s`` one to such memory, at the same time;
    ``side_s`` is a kernel on the second stream.
    """

    python_s: float
    copy_s: float
    layers_s: tuple[float, ...]
    small: int
    small_s: float
    beside_s: float = 0.0
    side_s: float = 0.0
    between_s: float = 0.0
    tail_s: float = 0.0
    back_s: float = 0.0


@dataclass
class _Writer:
    """The simulated machine: where the host's clock and the two streams are, and what was done."""

    host_s: float = 0.0
    free_s: dict[str, float] = field(default_factory=lambda: {_MAIN: 0.0, _SIDE: 0.0})
    operators: list[Span] = field(default_factory=list)
    kernels: list[Span] = field(default_factory=list)
    copies: list[Span] = field(default_factory=list)

    def operate(self, name: str, host_s: float, *, outer: str = "") -> None:
        """The host spends time in an operator, which stands inside of another one if named."""
        start_s = self.host_s
        self.host_s += host_s
        if outer:
            edge_s = min(0.05 * host_s, _EDGE_S)
            self.operators.append(Span(outer, "host", start_s, host_s, 0, 2 * edge_s))
            start_s, host_s = start_s + edge_s, host_s - 2 * edge_s
        self.operators.append(Span(name, "host", start_s, host_s, 1 if outer else 0, host_s))

    def launch(self, name: str, kernel_s: float, *, outer: str = "", stream: str = _MAIN) -> None:
        """An operator that launches a kernel."""
        self.operate(name, _ISSUE_S, outer=outer)
        start_s = max(self.host_s, self.free_s[stream])
        self.free_s[stream] = start_s + kernel_s
        number = int(stream.split()[1])
        one = Span(f"{name[6:]}_kernel", stream, start_s, kernel_s, 0, kernel_s, name, number)
        self.kernels.append(one)

    def copy(self, time_s: float, *, pinned: bool, back: bool = False) -> None:
        """A copy to the device: from ordinary memory the host waits, and the kernels behind it.

        Or ``back`` to the host.
        """
        start_s = self.host_s + _ISSUE_S
        held_s = _ISSUE_S if pinned else _ISSUE_S + time_s
        self.operate("aten::copy_", held_s, outer="aten::to")
        kind = "Pinned" if pinned else "Pageable"
        name = f"Memcpy DtoH (Device -> {kind})" if back else f"Memcpy HtoD ({kind} -> Device)"
        self.copies.append(
            Span(name, "copies", start_s, time_s, 0, time_s, "aten::copy_", 7, int(time_s * 20e9))
        )
        if not pinned:
            self.free_s[_MAIN] = max(self.free_s[_MAIN], start_s + time_s)

    def read(self) -> None:
        """The host waits for all that was issued, and then for the value."""
        until_s = max(*self.free_s.values(), self.host_s) + _READ_S
        self.operate("aten::_local_scalar_dense", until_s - self.host_s, outer="aten::item")


def take_steps(plan: Plan, steps: int = 2) -> Profile:
    """The profile of some steps by a plan."""
    writer, marks = _Writer(), []
    for number in range(1, steps + 1):
        begin_s = writer.host_s
        _take_step(writer, plan)
        marks.append(StepSpan(number, begin_s, writer.host_s - begin_s))
    operators = tuple(sorted(writer.operators, key=lambda one: (one.start_s, one.depth)))
    return Profile(DEVICE, tuple(marks), operators, tuple(writer.kernels), tuple(writer.copies))


def _take_step(writer: _Writer, plan: Plan) -> None:
    writer.host_s += plan.python_s
    if plan.copy_s:
        writer.copy(plan.copy_s, pinned=False)
    if plan.beside_s:
        writer.copy(plan.beside_s, pinned=True)
    if plan.back_s:
        writer.copy(plan.back_s, pinned=True, back=True)
    if plan.side_s:
        writer.launch("aten::normal_", plan.side_s, stream=_SIDE)
    for layer_s in plan.layers_s:
        writer.launch("aten::addmm", layer_s, outer="aten::linear")
    writer.host_s += plan.between_s
    for layer_s in reversed(plan.layers_s):
        writer.launch("aten::mm", 2 * layer_s, outer="AddmmBackward0")
    for name, count in (("mul_", 2), ("lerp_", 1), ("addcmul_", 1), ("sqrt", 1), ("addcdiv_", 1)):
        for _ in range(plan.small * count):
            writer.launch(f"aten::{name}", plan.small_s)
    writer.read()
    writer.host_s += plan.tail_s


_US = 1e-6
SHOWN = {
    "A": Plan(120 * _US, 700 * _US, (40 * _US,) * 3, 2, 3 * _US),
    "B": Plan(100 * _US, 60 * _US, (15 * _US,) * 3, 30, 2 * _US),
    "C": Plan(900 * _US, 80 * _US, (45 * _US,) * 3, 2, 3 * _US),
}
"""The three slow steps of the lesson."""


_SLOW_BY = {"copies": "A", "launches": "B", "python": "C"}
"""What the lesson's own three are slow by."""


def draw_shown(rng: np.random.Generator) -> dict[str, Plan]:
    """Three slow steps under the same names, other than the lesson's; see ``SHOWN``.

    At least one is slow by its launches, and at least one by something else.
    """
    own = [cause for cause, _ in sorted(_SLOW_BY.items(), key=lambda one: one[1])]
    causes = own
    while causes == own or not 0 < causes.count("launches") < len(own):
        causes = [str(one) for one in rng.choice(own, len(own))]
    return {
        name: _other_sizes(SHOWN[_SLOW_BY[cause]], rng)
        for name, cause in zip(SHOWN, causes, strict=True)
    }


def _other_sizes(plan: Plan, rng: np.random.Generator) -> Plan:
    """The same step with every time a little longer or shorter, in whole microseconds."""

    def about(time_s: float) -> float:
        return max(round(time_s / _US * rng.uniform(0.85, 1.15)), 1) * _US

    layer_s = about(plan.layers_s[0])
    return replace(
        plan,
        python_s=about(plan.python_s),
        copy_s=about(plan.copy_s),
        layers_s=(layer_s,) * len(plan.layers_s),
    )


def draw_plan(rng: np.random.Generator, *, trap: str = "") -> Plan:
    """A plan of its own sizes; ``trap`` is "beside", "side", "between", "tail", or nothing.

    With "both" two copies run at once, and begin before the kernels; with "inside" all other
    kernels run while a long one does; with "resident" the data are on the device already, and
    nothing is copied.
    """

    def about(us: float) -> float:
        return float(rng.uniform(0.5, 1.5)) * us * _US

    traps: dict[str, Any] = {
        "beside": {"beside_s": about(150)},
        "both": {"beside_s": about(150), "back_s": about(150)},
        "side": {"side_s": about(150)},
        "between": {"between_s": about(40)},
        "tail": {"tail_s": about(200)},
        "inside": {"side_s": about(200) + 900 * _US},
    }
    return Plan(
        python_s=about(200),
        copy_s=0.0 if trap == "resident" else about(200),
        layers_s=tuple(about(20) for _ in range(int(rng.integers(2, 4)))),
        small=int(rng.integers(6, 10)),
        small_s=about(2),
        **traps.get(trap, {}),
    )
