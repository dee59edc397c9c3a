"""What holds a kernel back, and how fast its counts let it be: the truth of ``read-the-ladder``."""

from __future__ import annotations

from gpuedu.exercises.registers.accounts import Account
from gpuedu.hardware.roofline import Roofs, attainable_flop_per_s, limit

SECTORS, PATH, MEMORY, REGISTERS, ARITHMETIC = (
    "sectors",
    "data path",
    "device memory",
    "registers",
    "arithmetic",
)
LIMITS = (SECTORS, PATH, MEMORY, REGISTERS, ARITHMETIC)
"""What can hold a kernel back, in the words of the exercise."""

_ROOFS = {"arithmetic": ARITHMETIC, "L1": PATH, "device memory": MEMORY}


def limit_of(account: Account) -> str:
    """What holds a kernel back, by the rule of the exercise.

    >>> account = {"flop": 100, "l1_bytes": 400, "excess_bytes": 300, "memory_bytes": 10,
    ...     "spill_bytes": 0, "warps": 16, "warps_needed": 16,
    ...     "flop_per_s": 1.0, "l1_bytes_per_s": 1.0, "memory_bytes_per_s": 1.0}
    >>> limit_of(account), limit_of(account | {"spill_bytes": 4})
    ('sectors', 'registers')
    """
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return REGISTERS
    found = _ROOFS[limit(_roofs(account), *_intensities(account))]
    if found == PATH and 2 * account["excess_bytes"] > account["l1_bytes"]:
        return SECTORS
    return found


def attainable(account: Account) -> float:
    """The share of the device's fp32 peak that the counts allow, 0 to 1; spills are not in it."""
    return attainable_flop_per_s(_roofs(account), *_intensities(account)) / account["flop_per_s"]


def _roofs(account: Account) -> Roofs:
    return Roofs(
        "", account["flop_per_s"], account["memory_bytes_per_s"], account["l1_bytes_per_s"]
    )


def _intensities(account: Account) -> tuple[float, float]:
    return account["flop"] / account["l1_bytes"], account["flop"] / account["memory_bytes"]
