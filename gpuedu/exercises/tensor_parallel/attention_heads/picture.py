"""attention-heads: which heads each rank has, and which key-value heads it lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.tensor_parallel.attention_heads.play import call_heads_of
from gpuedu.figures.caption import Caption
from gpuedu.figures.head_rows import HeadRow, plot_heads

_RANKS, _HEADS, _KV_HEADS = 4, 8, 2


def draw_heads(heads_of: Callable[..., Any]) -> Any:
    """Query heads and key-value heads of four ranks.

    Args:
        heads_of: ``heads_of(rank, ranks, heads, kv_heads)``.
    """
    inputs = {"ranks": _RANKS, "heads": _HEADS, "kv_heads": _KV_HEADS}
    rows = []
    for rank in range(_RANKS):
        queries, keys = call_heads_of(heads_of, rank, inputs)
        used = {one * _KV_HEADS // _HEADS for one in queries if 0 <= one < _HEADS}
        unknown = sorted({one for one in keys if not 0 <= one < _KV_HEADS})
        said = _tell(sorted(used - set(keys)), sorted(set(keys) - used), unknown)
        rows.append(HeadRow(f"rank {rank}", tuple(queries), tuple(keys), said))
    told = "; ".join(
        f"{row.name} query heads {list(row.queries)}, key-value heads {list(row.keys)}, "
        f"{row.fault or 'all that it needs'}"
        for row in rows
    )
    caption = Caption(
        title=f"{_HEADS} query heads that share {_KV_HEADS} key-value heads, on {_RANKS} ranks",
        source="A query head has the color of the key-value head that it uses.",
        alt=f"Heads by rank. {told}.",
    )
    return plot_heads(rows, _HEADS, _KV_HEADS, caption=caption)


def _tell(missing: list[int], unused: list[int], unknown: list[int]) -> str:
    """What is wrong with a rank's key-value heads; nothing if empty."""
    if unknown:
        return f"there is no key-value head {', '.join(map(str, unknown[:3]))}"
    if missing:
        return f"has no key-value head {', '.join(map(str, missing))}"
    return f"never uses key-value head {', '.join(map(str, unused))}" if unused else ""


PICTURE = draw_heads
