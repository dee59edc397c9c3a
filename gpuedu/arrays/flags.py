"""How an array lies in memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flags:
    """How an array's elements lie in memory; by attribute or by name in capitals.

    >>> Flags(True, False, True)["C_CONTIGUOUS"]
    True
    """

    c_contiguous: bool
    f_contiguous: bool
    owndata: bool

    @property
    def fnc(self) -> bool:
        """F order and not C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """F order or C order."""
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name: str) -> bool:
        if name not in ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA"):
            raise KeyError(f"{name} is not defined for cupy.ndarray.flags")
        return bool(getattr(self, name.lower()))

    def __repr__(self) -> str:
        return (
            f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}\n"
            f"  OWNDATA : {self.owndata}"
        )
