"""A block while it is watched: what happens to it is not known yet."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.training.memory.records import KINDS, Block


@dataclass
class LiveBlock:
    """As ``Block``, and open to what is learned about it later."""

    kind: str
    size_bytes: int
    born: int
    freed: int | None = None
    layer: str = ""
    line: str = ""

    def become(self, kind: str, layer: str, line: str = "") -> None:
        """Take the first kind that is learned about it, or a more lasting one if that comes later.

        A weight that is saved for the backward pass stays a weight; a result that becomes a
        gradient is one.
        """
        if self.kind == "other" or KINDS.index(kind) < KINDS.index(self.kind):
            self.kind, self.layer, self.line = kind, layer, line

    def as_block(self) -> Block:
        """The record."""
        return Block(self.kind, self.size_bytes, self.born, self.freed, self.layer, self.line)
