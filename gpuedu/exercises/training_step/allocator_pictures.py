"""Pictures of PyTorch's caching allocator: free memory in pieces, and segments that grow."""

from __future__ import annotations

from typing import Any

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.strips import Look, Strip, plot_strips

_USED, _FREE, _NEW = "used by a tensor", "free", "the new tensor"
_LOOKS = {
    _USED: Look(style.SKY),
    _FREE: Look(style.FAINT),
    _NEW: Look(style.ORANGE, "//"),
}
_BLOCKS = ((6, _USED), (5, _FREE), (4, _USED), (5, _FREE), (8, _USED), (6, _FREE), (6, _USED))
_NEW_MIB, _SEGMENT_MIB, _GROWN_MIB = 8, 20, 8


def draw_fragments() -> Any:
    """Where 8 MiB go when 16 are free in pieces: into a new segment, or onto one that grows."""
    blocks, end = _laid_out()
    fixed = (*blocks, (_NEW, end, end + _NEW_MIB), (_FREE, end + _NEW_MIB, end + _SEGMENT_MIB))
    grown = (*blocks, (_NEW, end, end + _GROWN_MIB))
    free = sum(size for size, kind in _BLOCKS if kind == _FREE)
    most = max(size for size, kind in _BLOCKS if kind == _FREE)
    strips = [
        Strip("before", blocks, f"{end} MiB reserved, {free} free, the largest piece {most}"),
        Strip("fixed", fixed, f"another segment of {_SEGMENT_MIB} MiB: {end + _SEGMENT_MIB}"),
        Strip("expandable", grown, f"the segment grows by {_GROWN_MIB} MiB: {end + _GROWN_MIB}"),
    ]
    caption = Caption(
        title=f"{free} MiB are free, but a tensor of {_NEW_MIB} doesn't fit",
        x="reserved memory (MiB)",
        source="A made-up example: two segments of 20 MiB, and one that can grow.",
        alt=f"Strips of reserved memory. Before: {end} MiB, of which {free} are free in three "
        f"pieces of at most {most}. A tensor of {_NEW_MIB} MiB takes another segment of "
        f"{_SEGMENT_MIB} MiB; an expandable segment grows by {_GROWN_MIB}.",
    )
    return plot_strips(strips, _LOOKS, caption=caption, end=end + _SEGMENT_MIB)


def _laid_out() -> tuple[tuple[tuple[str, float, float], ...], int]:
    """The blocks one after another, and where they end."""
    found, at = [], 0
    for size, kind in _BLOCKS:
        found.append((kind, float(at), float(at + size)))
        at += size
    return tuple(found), at
