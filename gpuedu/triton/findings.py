"""What goes wrong in programs of Triton, in words."""

from __future__ import annotations

import re

from gpuedu.trace import Finding, Level, Operation, Place, Thread
from gpuedu.triton.shadow import SEVERAL, Collision
from gpuedu.triton.sites import NOWHERE, Site

DTYPES = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
    "fp8e4nv": "float8_e4m3fn",
    "fp8e5": "float8_e5m2",
}
"""Names of dtypes by Triton's names."""
_VERBS = {Operation.LOAD: "loads", Operation.STORE: "stores", Operation.ATOMIC: "changes"}
_BLOCK = re.compile(r"\[[-\d\s.,einfa+]+\]")
"""A block of numbers, as an interpreted one is printed."""
_OF_SHAPES = re.compile(r"shape|dimension|broadcast", re.IGNORECASE)
"""What Triton and NumPy say of blocks that do not go together."""
Index = tuple[int, ...]


def program(who: Thread) -> str:
    """A program in words.

    >>> program(Thread((3, 0, 0), (0, 0, 0))), program(Thread((3, 1, 0), (0, 0, 0), 2))
    ('program 3', 'program (3, 1)')
    """
    shown = who.block[: who.ndim]
    return f"program {shown[0] if len(shown) == 1 else shown}"


def _element(array: str, index: Index) -> str:
    return f"{array}[{', '.join(map(str, index))}]"


def _place(site: Site) -> Place | None:
    return None if site is NOWHERE else site.place


def outside(
    site: Site,
    who: Thread,
    operation: Operation,
    array: str,
    index: Index,
    shape: Index,
    count: int,
) -> Finding:
    """An element that an array does not have."""
    return Finding(
        Level.HAZARD,
        "out-of-bounds",
        f"{program(who)} {_VERBS[operation]} {_element(array, index)}, and `{array}` has the shape "
        f"{shape}",
        "mask it: `mask=` with the elements that exist, on this load or store",
        _place(site),
        who,
        array,
        index,
        count=count,
    )


def misaligned(
    site: Site,
    who: Thread,
    operation: Operation,
    array: str,
    index: Index,
    shape: Index,
    size_bytes: int,
    count: int,
) -> Finding:
    """An access that begins between two elements of its own size."""
    return Finding(
        Level.HAZARD,
        "misaligned",
        f"{program(who)} {_VERBS[operation]} {size_bytes} bytes from inside "
        f"{_element(array, index)}: a GPU ends the launch with a misaligned address",
        f"let the address be a multiple of {size_bytes} bytes",
        _place(site),
        who,
        array,
        index,
        count=count,
    )


def race(
    site: Site,
    who: Thread,
    operation: Operation,
    array: str,
    index: Index,
    shape: Index,
    found: Collision,
) -> Finding:
    """An element that two programs touch and at least one changes."""
    other = "other programs" if found.other == SEVERAL else "another program"
    return Finding(
        Level.HAZARD,
        "data-race",
        f"{program(who)} {_VERBS[operation]} {_element(array, index)}, which is {found.kind} by "
        f"{other}; programs run in any order, and at once",
        "let only one program write each element, or use an atomic such as `tl.atomic_add`",
        _place(site),
        who,
        array,
        index,
        count=found.count,
    )


def two_values(
    site: Site, who: Thread, array: str, index: Index, shape: Index, count: int
) -> Finding:
    """A store of one block with two values for one element."""
    return Finding(
        Level.HAZARD,
        "data-race",
        f"{program(who)} stores two values to {_element(array, index)} at once; which of them "
        "remains is undefined",
        "give each element of the block its own address",
        _place(site),
        who,
        array,
        index,
        count=count,
    )


def unwritten(
    site: Site, who: Thread, array: str, index: Index, shape: Index, count: int
) -> Finding:
    """An element that no program has stored to."""
    return Finding(
        Level.HAZARD,
        "uninitialised-read",
        f"{program(who)} loads {_element(array, index)}, which nobody has written",
        "store to it first, in the same program, or begin with `torch.zeros`",
        _place(site),
        who,
        array,
        index,
        count=count,
    )


def unknown(load: Site, use: Site, who: Thread, count: int) -> Finding:
    """Values that a masked load did not load, in a result or in memory."""
    return Finding(
        Level.HAZARD,
        "uninitialised-read",
        f"{program(who)} uses {count} elements of a block that this load masks off, on line "
        f"{use.place.line}; their values are undefined (0 on NVIDIA's GPUs, so far)",
        "give them a value that does no harm: `other=0.0` for a sum, `other=-float('inf')` for a "
        "maximum",
        _place(load),
        who,
        other_place=_place(use),
        count=count,
    )


def failed(site: Site, fault: BaseException, who: Thread) -> Finding:
    """A kernel that Triton does not accept, or that raised."""
    message = _BLOCK.sub("a block", str(fault)) or type(fault).__name__
    remedy = "read what Triton says about that line"
    if "power of 2" in message:
        remedy = "make the block's size a power of 2, at least what is needed, and mask the rest"
    elif _OF_SHAPES.search(message):
        remedy = "which shapes do the blocks on that line have?"
    return Finding(
        Level.HAZARD,
        "failed",
        f"{program(who)} stopped: {message}",
        remedy,
        _place(site),
        who,
    )


def tf32(site: Site) -> Finding:
    """A product of float32 that is computed with 10 bits of mantissa."""
    return Finding(
        Level.NOTE,
        "tf32",
        "`tl.dot` of float32 rounds its factors to TF32, with 10 bits of mantissa in place of 23",
        '`input_precision="ieee"` keeps float32, and is several times slower',
        _place(site),
    )
