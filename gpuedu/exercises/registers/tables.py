"""Tables of the lesson registers, as text: compiled code, and five accounts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.registers.accounts import DEVICE, ENTRANTS, five
from gpuedu.exercises.registers.kernels import tile_kernel
from gpuedu.exercises.registers.products import FLOAT32_MATRICES
from gpuedu.hardware.catalog import device
from gpuedu.hardware.occupancy import LaunchError, occupancy
from gpuedu.ladder.facts import RungFacts, pinned_facts, shortened

_THREADS, _CAPABILITY = 256, (9, 0)
_LAST = ("register-tile", "wide-register-tile", "vector-loads", "double-buffer", "c-warp-tile")
_HEADINGS = (
    "",
    "registers",
    "stack",
    "spills",
    "FMA",
    "of all",
    "loads from shared",
    "of 4 floats",
    "warps on an SM",
)
_MISSING = "There is no compiler here that could tell: it runs on Linux. ({why})"


def compiled_tiles(make_matmul: Any) -> str:
    """What the compiler makes of the learner's kernels for t = 2, 4 and 8."""
    kernels = {f"{t} x {t} sums": tile_kernel(make_matmul, t) for t in (2, 4, 8)}
    return _compiled(kernels.items(), FLOAT32_MATRICES)


def compiled_stack(kernel: Any) -> str:
    """The same for a kernel with two matrices as arguments."""
    kinds = ("float32[:, ::1]",) * 2
    return _compiled([(_name(kernel), kernel)], kinds)


def compiled_instructions(matmul: Any) -> str:
    """What the compiler makes of a kernel in CUDA C, with the loads and stores that it chose."""
    from gpuedu.compilers import CompilerMissingError, compiled_facts

    try:
        facts = compiled_facts(matmul, lineinfo=False)
    except CompilerMissingError as fault:
        return _MISSING.format(why=fault.message)
    memory = ("ld.shared", "st.shared", "ld.global", "st.global", "fma", "bar")
    chosen = {name: n for name, n in facts.instructions.items() if name.startswith(memory) and n}
    rows = [(name, f"{n}") for name, n in sorted(chosen.items())]
    yours = write_table([_HEADINGS, _row("yours", shortened(facts), _THREADS)])
    return f"{yours}\n\n{write_table(rows)}\n\n{_NOTE}"


def compiled_rungs() -> str:
    """What the compiler makes of the rungs of the ladder from 4 x 4 sums on, from its table."""
    from gpuedu.ladder import rung

    rows: list[Sequence[str]] = [_HEADINGS]
    for slug in _LAST:
        facts = pinned_facts(slug, _CAPABILITY)
        rows.append(_row(f"{slug} ({rung(slug).language})", facts, rung(slug).threads))
    return f"{write_table(rows)}\n\n{_NOTE}"


_NOTE = (
    "Instructions are those in the compiled code (PTX), each counted once, however often it runs;\n"
    '"of all" is the share of multiply-adds (FMA) in them. Stack and spills are bytes\n'
    "per thread. Compiled for compute capability 9.0."
)


def _compiled(kernels: Iterable[tuple[str, Any]], kinds: Sequence[str]) -> str:
    from gpuedu.compilers import CompilerMissingError, KernelCompileError, compiled_facts

    rows: list[Sequence[str]] = [_HEADINGS]
    try:
        for name, kernel in kernels:
            facts = compiled_facts(kernel, kinds, lineinfo=False)
            rows.append(_row(name, shortened(facts), _THREADS))
    except CompilerMissingError as fault:
        return _MISSING.format(why=fault.message)
    except KernelCompileError as fault:
        raise AnswerError(
            f"the compiler refuses it: {fault.message}", remedy=fault.remedy
        ) from None
    return f"{write_table(rows)}\n\n{_NOTE}"


def _row(name: str, facts: RungFacts, threads: int) -> tuple[str, ...]:
    try:
        warps = occupancy(_CAPABILITY, threads, facts.registers, facts.shared_bytes).warps_per_sm
        fits = f"{warps} of 64"
    except LaunchError:
        fits = "none fits"
    return (
        name,
        f"{facts.registers}",
        f"{facts.stack_bytes}",
        f"{facts.spilled_bytes}",
        f"{facts.fma}",
        f"{facts.fma / max(facts.instructions, 1):.0%}",
        f"{facts.shared_loads}",
        f"{facts.wide_shared_loads}",
        fits,
    )


def _name(kernel: Any) -> str:
    return getattr(getattr(kernel, "py_func", None), "__name__", "the kernel")


def five_accounts() -> str:
    """The five accounts of ``read-the-ladder``, a column each."""
    accounts = five()
    keys = [key for key in next(iter(accounts.values())) if not key.endswith("_per_s")]
    rows = [("", *accounts)]
    rows += [(key, *(f"{own[key]:,}" for own in accounts.values())) for key in keys]
    shapes = "; ".join(
        f"{name}: {' x '.join(map(str, one.shape))}" for name, one in ENTRANTS.items()
    )
    own = next(iter(accounts.values()))
    found = ", ".join(f"{key} {own[key]:.3g}" for key in own if key.endswith("_per_s"))
    return (
        f"{write_table(rows)}\n\nM x N x K of the products: {shapes}.\n"
        f"{device(DEVICE).name}: {found}.\nBytes counted on the course's machine, spills and "
        "registers (and so warps) from the compiler."
    )


def write_table(rows: Sequence[Sequence[str]]) -> str:
    """Columns of equal width; the first to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *others = row
        cells = [first.ljust(widths[0])]
        cells += [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
