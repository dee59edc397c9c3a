"""Pictures of the lesson why-gpus, most of them made from the learner's own functions.

They are drawn while the functions are wrong, too: a value that a logarithmic axis cannot show is
left out, and the figure says so where nothing remains.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from gpuedu.exercises.why_gpus import sketches
from gpuedu.exercises.why_gpus.check_the_claim.facts_page import facts_text
from gpuedu.exercises.why_gpus.who_is_independent.loops import listing

_MOST = 1e30


def drawable(value: Any) -> float:
    """The value where a logarithmic axis can show it, else nan.

    >>> drawable(2), drawable(0), drawable(-1.0), drawable(math.inf), drawable("2")
    (2.0, nan, nan, nan, nan)
    """
    if not isinstance(value, Real) or not 1 / _MOST < value < _MOST:
        return math.nan
    return float(value)


PICTURES = {
    "why-gpus/loops": listing,
    "why-gpus/facts": facts_text,
    "why-gpus/latency-throughput": sketches.draw_latency_throughput,
    "why-gpus/bad-at": sketches.draw_bad_at,
    "why-gpus/chip": sketches.draw_chip,
    "why-gpus/stack": sketches.draw_stack,
    "why-gpus/layer": sketches.draw_layer,
    "why-gpus/energy": sketches.draw_energy,
}
