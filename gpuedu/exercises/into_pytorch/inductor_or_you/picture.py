"""inductor-or-you: its picture, of plans for the compiled layer and the bytes of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.experiments.results import read_results
from gpuedu.figures.caption import Caption
from gpuedu.figures.segments import SegmentRow, plot_segments

_MB = 1e6
_PEAK = [[["h"], "a"], [["a"], "peak"]]
_FACTOR = [[["peak"], "factor"]]
_ROWS = [[["h", "factor"], "b"], [["b"], "norm"], [["b", "norm"], "c"]]
_LAST = [[["scale", "c"], "d"], [["d"], "y"]]
PLANS = {
    "one by one": [[one] for one in (*_PEAK, *_FACTOR, *_ROWS, *_LAST)],
    "break before the last\nmul, h loaded once": [_PEAK, [*_FACTOR, *_ROWS], _LAST],
    "one graph,\nh loaded once": [_PEAK, [*_FACTOR, *_ROWS, *_LAST]],
}
"""Of the layer between its products; on numbers and rows less is counted than PyTorch launches."""
RESULTS = ["y", "peak"]


def sizes_of(rows: int, columns: int) -> dict[str, int]:
    """Bytes of the layer's tensors, in float32."""
    whole = dict.fromkeys("habcdy", 4 * rows * columns)
    return {**whole, "norm": 4 * rows, "peak": 4, "factor": 4, "scale": 4}


def draw_plans(moved: Callable[..., int]) -> Any:
    """The bytes of each plan, by the learner's function, and of the code that Inductor wrote."""
    found = read_results("fused-layer")
    sizes = sizes_of(found.values["rows"], found.values["hidden"])
    rows = []
    for name, kernels in PLANS.items():
        got = moved(kernels, sizes, RESULTS)
        if not isinstance(got, int | float) or got != got // 1 or got <= 0:
            raise AnswerError(f"`moved` should return a whole number of bytes, got {got!r}")
        rows.append(SegmentRow(name, (("", got / _MB),), f"{got / _MB:,.0f} MB"))
    wrote = [one for one in found.values["one graph"]["kernels"] if one["code"]]
    bytes_ = sum(one["reads"] + one["writes"] for one in wrote)
    rows.append(
        SegmentRow("what Inductor\nwrote", (("", bytes_ / _MB),), f"{bytes_ / _MB:,.0f} MB")
    )
    told = "; ".join(f"{row.name}: {row.note}" for row in rows).replace("\n", " ")
    caption = Caption(
        "What the layer moves between its products",
        f"A bar for each plan, as long as its bytes. {told}.",
        "Last bar: the code that Inductor wrote for an H100; the others: by your function, now.\n"
        f"That code: {found.source[:1].lower()}{found.source[1:]}",
        x="MB read and written",
    )
    return plot_segments(rows, caption=caption)


PICTURE = draw_plans
