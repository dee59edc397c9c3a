"""What plays about arrays of ``cp`` observe: what a call gave, and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gpuedu.exercises.arrays.kernel_objects import kernel_refusals_told
from gpuedu.exercises.arrays.watching import WatchedCall, library_of, on_host, plain_copies, watch
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.lens.listing import line_texts
from gpuedu.trace import Trace


def observe_result(name: str, result: Any) -> dict[str, Any]:
    """``result``, on the host, and ``library``, whose array it was; ``name`` is the function's."""
    return {"result": on_host(result, name), "library": library_of(result)}


def observe_call(name: str, watched: WatchedCall) -> dict[str, Any]:
    """What ``observe_result`` does, and ``copies`` (for ``read_copies``), ``launches`` and bytes.

    ``moved_bytes`` and ``extra_bytes`` are those of ``WatchedCall``.
    """
    return {
        **observe_result(name, watched.result),
        "copies": plain_copies(watched),
        "launches": len(watched.launches),
        "moved_bytes": watched.moved_bytes,
        "extra_bytes": watched.extra_bytes,
    }


def observe_arithmetic(trace: Trace | None) -> dict[str, Any]:
    """``flop``, those in float64 as ``flop64``, and the first line that has some as ``line64``."""
    if trace is None:
        return {"flop": 0, "flop64": 0, "line64": ""}
    in_double = [line.place for line in trace.lines if line.flop.get("float64")]
    texts = line_texts(trace.launch)
    return {
        "flop": sum(sum(line.flop.values()) for line in trace.lines),
        "flop64": sum(line.flop.get("float64", 0) for line in trace.lines),
        "line64": texts.get(in_double[0], "").strip() if in_double else "",
    }


def kernel_play(name: str, fresh: Callable[[Any], Any], **options: Any) -> Play:
    """A play that calls a kernel object on a case's array ``x``, copied to the device.

    It observes what ``observe_call`` and ``observe_arithmetic`` do.

    Args:
        name: The kernel's.
        fresh: Makes a kernel of the machine from the learner's.
        options: With which the kernel is called.
    """

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        from gpuedu.arrays import cupy as cp

        kernel = fresh(answers[0])
        with kernel_refusals_told():
            watched = watch(partial(kernel, **options), cp.asarray(inputs["x"]))
        return {**observe_call(name, watched), **observe_arithmetic(kernel.last_trace)}

    answer = Answer(name, signature=("x",))
    return Play((answer,), run, time_limit_s=30.0, on_machine=True, compiles_kernel=True)
