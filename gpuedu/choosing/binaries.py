"""Which compiled kernels run on which device: CUDA's rules of binary compatibility.

A binary of capability X.Y runs on X.Z with Z >= Y; PTX of X.Y runs on every later capability,
compiled by the driver; a target that ends with ``a`` runs on X.Y alone. Source: NVIDIA, CUDA C++
Programming Guide (12.9), sections "Binary Compatibility", "PTX Compatibility" and "Feature Set
Compiler Targets".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuedu.errors import CatalogError

Capability = tuple[int, int]
_TARGET = re.compile(r"(sm|compute)_(\d+)(\d)(a?)")


def running(capability: Capability, built: Iterable[str]) -> list[str]:
    """Of the targets that a program was built for, those that a device can run, in order.

    Raises:
        CatalogError: a name that is not a target.

    >>> running((8, 9), ["sm_75", "sm_80", "sm_86", "sm_90", "compute_80"])
    ['sm_80', 'sm_86', 'compute_80']
    """
    return [target for target in built if _runs(capability, target)]


def has_kernel(capability: Capability, built: Iterable[str]) -> bool:
    """True if a device can run one of the targets; errors as for ``running``.

    >>> has_kernel((8, 9), ["sm_80", "sm_90"]), has_kernel((12, 0), ["sm_90", "compute_90"])
    (True, True)
    >>> has_kernel((10, 0), ["sm_90", "sm_90a", "compute_90a"])
    False
    """
    return bool(running(capability, built))


def _runs(capability: Capability, target: str) -> bool:
    found = _TARGET.fullmatch(target)
    if not found:
        raise CatalogError(f"{target!r} is not a target", remedy="one such as sm_86 or compute_90")
    own = int(found[2]), int(found[3])
    if found[4]:
        return own == tuple(capability)
    if found[1] == "compute":
        return own <= tuple(capability)
    return own[0] == capability[0] and own[1] <= capability[1]


def wheel_for(capability: Capability, wheels: Mapping[str, Iterable[str]]) -> str:
    """The first of the wheels that has a kernel for a device; an empty string if none has.

    >>> wheel_for((7, 0), {"new": ["sm_75", "sm_80"], "old": ["sm_70"]})
    'old'
    """
    return next((name for name, built in wheels.items() if has_kernel(capability, built)), "")


def outcome(
    capability: Capability, formats: Iterable[str], built: Iterable[str], wanted: str
) -> str:
    """What a program that computes in a format does: no kernel, runs, refused or falls back."""
    if not has_kernel(capability, built):
        return "no kernel"
    if wanted == "fp32" or wanted in formats:
        return "runs"
    return "refused" if wanted in ("fp8", "fp4") else "falls back"
