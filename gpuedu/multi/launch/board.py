"""A board in shared memory: what each rank is doing, readable from outside at any time.

Each rank has a line of fixed length that only it writes. A rank that hangs, or was killed, leaves
what it wrote last.
"""

from __future__ import annotations

import json
import mmap
import time
from dataclasses import asdict, dataclass
from pathlib import Path

_LINE = 1024


@dataclass(frozen=True)
class Standing:
    """What a rank last said.

    ``state`` is "starts", "runs", "calls" (it is inside ``call``, of ``torch.distributed``) or
    "done". ``attempt`` says how often the ranks had started before. ``peer`` is the other rank, or
    None. ``number`` counts its calls; ``since_s`` is a monotonic clock that all processes of a
    machine share.
    """

    rank: int
    pid: int
    attempt: int
    state: str
    call: str = ""
    peer: int | None = None
    number: int = 0
    line: int = 0
    text: str = ""
    since_s: float = 0.0

    def __str__(self) -> str:
        where = f" (line {self.line}: `{self.text}`)" if self.text else ""
        if self.state == "calls":
            whom = "" if self.peer is None else f" with rank {self.peer}"
            return f"rank {self.rank} waits in call {self.number}, {self.call}{whom}{where}"
        said = {"starts": "has not started yet", "runs": "computes", "done": "is done"}[self.state]
        return f"rank {self.rank} {said}"


class Board:
    """The lines of all ranks, in a file that every process maps."""

    def __init__(self, path: Path, ranks: int, *, create: bool = False) -> None:
        if create:
            path.write_bytes(b"\0" * _LINE * ranks)
        self._ranks = ranks
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _LINE * ranks)

    def write(self, standing: Standing) -> None:
        """Say what a rank is doing; a text that is too long is cut."""
        row = asdict(standing) | {"text": standing.text[:200], "since_s": time.monotonic()}
        line = json.dumps(row).encode()[: _LINE - 1]
        begin = standing.rank * _LINE
        # The length is written last: a reader between the two sees the line before, or garbage that
        # is no JSON, and looks again.
        self._map[begin : begin + _LINE] = line.ljust(_LINE, b"\0")

    def read(self) -> list[Standing | None]:
        """What each rank said in the last attempt; None for one that has not started it."""
        found: list[Standing | None] = []
        for rank in range(self._ranks):
            raw = self._map[rank * _LINE : (rank + 1) * _LINE].rstrip(b"\0")
            try:
                found.append(Standing(**json.loads(raw)) if raw else None)
            except ValueError:  # read while it was being written
                found.append(None)
        last = max((one.attempt for one in found if one is not None), default=0)
        return [one if one is not None and one.attempt == last else None for one in found]

    def close(self) -> None:
        """Release the memory."""
        self._map.close()
