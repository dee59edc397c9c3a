"""What the compiler made of a kernel, in one sentence next to the counts of a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuedu.compilers.facts import CompiledFacts


def compiled_summary(facts: CompiledFacts) -> str:
    """Registers, spills and the instructions that a reader of a kernel looks for.

    Instructions are counted in the compiled code: each once, however often it runs.
    """
    major, minor = facts.compute_capability
    parts = [f"{facts.registers} registers a thread", _spills(facts)]
    if facts.stack_bytes:
        parts.append(f"{facts.stack_bytes} bytes of local arrays in memory")
    if facts.count("fma"):
        parts.append(f"{facts.count('fma')} fused multiply-adds")
    wide = facts.count("ld.v2") + facts.count("ld.v4") + facts.count("st.v2") + facts.count("st.v4")
    if wide:
        parts.append(f"{wide} vector loads and stores")
    double = sum(n for opcode, n in facts.instructions.items() if "f64" in opcode.split("."))
    if double:
        parts.append(f"{double} float64 instructions")
    return f"{', '.join(parts)} (for compute capability {major}.{minor})"


def _spills(facts: CompiledFacts) -> str:
    if not facts.spill_stores_bytes and not facts.spill_loads_bytes:
        return "no spills"
    return (
        f"spills of {facts.spill_stores_bytes} bytes stored and {facts.spill_loads_bytes} bytes "
        "loaded by a thread"
    )
