"""Lists of nodes as Slurm writes them, such as ``n[01-03,07]``."""

from __future__ import annotations

import re
from collections.abc import Sequence


def expand(text: str) -> list[str]:
    """The names in a list.

    >>> expand("gpu[08-10,12],login")
    ['gpu08', 'gpu09', 'gpu10', 'gpu12', 'login']
    """
    found = []
    for name, ranges in re.findall(r"([^,\[\]]+)(?:\[([\d,-]+)\])?", text):
        if not ranges:
            found.append(name)
            continue
        for one in ranges.split(","):
            first, _, last = one.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            found += [f"{name}{number:0{len(first)}}" for number in numbers]
    return found


def compress(prefix: str, numbers: Sequence[int], digits: int) -> str:
    """Nodes of one name, ascending, as Slurm writes them.

    >>> compress("gpu", [3, 4, 5, 9], 2)
    'gpu[03-05,09]'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{digits}}"
    parts = [
        f"{run[0]:0{digits}}" + (f"-{run[-1]:0{digits}}" if len(run) > 1 else "") for run in runs
    ]
    return f"{prefix}[{','.join(parts)}]"
