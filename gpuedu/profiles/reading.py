"""From the events of a trace to a profile: steps, nesting, lanes, and who launched what."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuedu.profiles.errors import ProfileError
from gpuedu.profiles.records import COPIES, HOST, Profile
from gpuedu.profiles.spans import Span, StepSpan
from gpuedu.profiles.trace_file import Trace, TraceEvent, parse, read_bytes

STEP_MARK = "ProfilerStep#"
"""What PyTorch's profiler, and ours, writes before the number of a step."""
_RUNTIME = ("cuda_runtime", "cuda_driver")
_FILLS_AND_COPIES = ("gpu_memcpy", "gpu_memset")
# What the profiler writes of itself.
_OWN = "profiler::"


def load_profile(path: str | Path) -> Profile:
    """Read a trace of PyTorch's profiler, even one recorded elsewhere on a GPU.

    Steps are what lies between its marks ``ProfilerStep#...`` (``profile`` writes them, and
    ``torch.profiler`` with a schedule); without marks, the whole trace is one step. Kernels and
    copies are those that were launched within the steps.

    Args:
        path: `.json`, or compressed by gzip.

    Raises:
        ProfileError: the file is not a trace, or nothing ran in it.
    """
    return read_profile(read_bytes(path), name=str(path))


def read_profile(compressed: bytes, *, name: str) -> Profile:
    """The profile in a trace's bytes; see ``load_profile``."""
    trace = parse(compressed, name=name)
    marks = _marks(trace.events, name)
    start_ns, end_ns = marks[0].start_ns, max(mark.end_ns for mark in marks)
    inside = [one for one in trace.events if start_ns <= one.start_ns]
    on_host = [one for one in inside if one.start_ns < end_ns]
    lanes = _host_lanes(on_host, marks[0].thread)
    nodes = _nest(one for one in on_host if _is_operator(one))
    launches = _Launches(trace.events, nodes)
    started = [one for one in inside if start_ns <= launches.launch_ns(one) < end_ns]
    kernels = [one for one in started if one.kind == "kernel"]
    copies = [one for one in started if one.kind in _FILLS_AND_COPIES]
    gpus = sorted({_gpu_of(one) for one in (*kernels, *copies)})
    return Profile(
        device=_device(gpus, trace),
        steps=tuple(_step(mark, at, start_ns) for at, mark in enumerate(marks, 1)),
        operators=_operators(nodes, lanes, start_ns),
        kernels=tuple(
            _started(one, _stream_lane(one, gpus), launches, start_ns) for one in kernels
        ),
        copies=tuple(_started(one, COPIES, launches, start_ns) for one in copies),
        ranges=_operators(_nest(one for one in on_host if _is_range(one)), lanes, start_ns),
        trace=compressed,
    )


def _marks(events: Sequence[TraceEvent], name: str) -> list[TraceEvent]:
    """The marks of the steps, or one around everything that ran."""
    marks = [one for one in events if _is_mark(one)]
    if marks:
        return marks
    ran = [one for one in events if _is_operator(one) or one.kind == "kernel"]
    if not ran:
        raise ProfileError(
            f"nothing ran in {name}: it has no step, no operator and no kernel",
            remedy="record it around the step, as `profile(step)` does",
        )
    first = next((one for one in ran if _is_operator(one)), ran[0])
    end_ns = max(one.end_ns for one in ran)
    start_ns = ran[0].start_ns
    return [TraceEvent("", STEP_MARK + "1", start_ns, end_ns - start_ns, first.thread, {})]


def _is_mark(event: TraceEvent) -> bool:
    return event.kind == "user_annotation" and event.name.startswith(STEP_MARK)


def _is_range(event: TraceEvent) -> bool:
    return event.kind == "user_annotation" and not event.name.startswith(STEP_MARK)


def _is_operator(event: TraceEvent) -> bool:
    return event.kind == "cpu_op" and not event.name.startswith(_OWN)


def _step(mark: TraceEvent, at: int, origin_ns: int) -> StepSpan:
    number = mark.name.removeprefix(STEP_MARK)
    return StepSpan(
        int(number) if number.isdecimal() else at, *_seconds(mark.start_ns, mark.time_ns, origin_ns)
    )


def _seconds(start_ns: int, time_ns: int, origin_ns: int) -> tuple[float, float]:
    return (start_ns - origin_ns) / 1e9, time_ns / 1e9


# The host


@dataclass
class _Node:
    """An event with what was found out about it."""

    event: TraceEvent
    depth: int
    self_ns: int


def _nest(events: Iterable[TraceEvent]) -> list[_Node]:
    """How deep each event lies in others of its thread; the events come in the order of start."""
    open_by_thread: dict[tuple[Any, Any], list[_Node]] = {}
    nodes = []
    for event in events:
        around = open_by_thread.setdefault(event.thread, [])
        while around and around[-1].event.end_ns <= event.start_ns:
            around.pop()
        node = _Node(event, len(around), event.time_ns)
        if around:
            # No less than nothing: a clock may let a part end after the whole.
            around[-1].self_ns = max(0, around[-1].self_ns - event.time_ns)
        around.append(node)
        nodes.append(node)
    return nodes


def _host_lanes(
    events: Sequence[TraceEvent], main: tuple[Any, Any]
) -> Mapping[tuple[Any, Any], str]:
    """A name for each thread that ran operators, in the order in which they began to."""
    threads = dict.fromkeys([main, *(one.thread for one in events if _is_operator(one))])
    threads.update(dict.fromkeys(one.thread for one in events if _is_range(one)))
    return {
        thread: HOST if at == 1 else f"{HOST} thread {at}" for at, thread in enumerate(threads, 1)
    }


def _operators(
    nodes: Sequence[_Node], lanes: Mapping[tuple[Any, Any], str], origin_ns: int
) -> tuple[Span, ...]:
    spans = [
        Span(
            node.event.name,
            lanes[node.event.thread],
            *_seconds(node.event.start_ns, node.event.time_ns, origin_ns),
            depth=node.depth,
            self_s=node.self_ns / 1e9,
        )
        for node in nodes
    ]
    # Stable: within a lane the order of start stays.
    return tuple(sorted(spans, key=lambda one: (len(one.lane), one.lane)))


# The device


class _Launches:
    """Which call of the runtime started a kernel or a copy, and which operator that call is in."""

    def __init__(self, events: Sequence[TraceEvent], nodes: Sequence[_Node]) -> None:
        self._calls = {
            one.args["correlation"]: one
            for one in events
            if one.kind in _RUNTIME and "correlation" in one.args
        }
        self._by_id = {node.event.args.get("External id"): node for node in nodes}
        self._by_thread: dict[tuple[Any, Any], list[_Node]] = {}
        for node in nodes:
            self._by_thread.setdefault(node.event.thread, []).append(node)
        self._starts = {
            thread: [node.event.start_ns for node in found]
            for thread, found in self._by_thread.items()
        }

    def launch_ns(self, event: TraceEvent) -> int:
        """When the host launched it; its own start where the trace does not tell."""
        call = self._calls.get(event.args.get("correlation"))
        return event.start_ns if call is None else call.start_ns

    def operator(self, event: TraceEvent) -> str:
        """The innermost operator that launched it, or ""."""
        call = self._calls.get(event.args.get("correlation"))
        node = self._around(call) if call is not None else None
        # Some launches are not recorded; then the profiler's own link is what there is.
        node = node or self._by_id.get(event.args.get("External id", object()))
        return node.event.name if node else ""

    def _around(self, call: TraceEvent) -> _Node | None:
        """The innermost operator on the call's thread that had begun and not ended."""
        nodes = self._by_thread.get(call.thread, [])
        last = bisect_right(self._starts.get(call.thread, []), call.start_ns)
        for node in reversed(nodes[:last]):
            if call.start_ns < node.event.end_ns:
                return node
            if node.depth == 0:
                break
        return None


def _started(event: TraceEvent, lane: str, launches: _Launches, origin_ns: int) -> Span:
    size_bytes = event.args.get("bytes")
    return Span(
        event.name,
        lane,
        *_seconds(event.start_ns, event.time_ns, origin_ns),
        self_s=event.time_ns / 1e9,
        operator=launches.operator(event),
        stream=event.args.get("stream"),
        size_bytes=None if size_bytes is None else int(size_bytes),
    )


def _gpu_of(event: TraceEvent) -> int:
    return int(event.args.get("device", event.args.get("inDevice", 0)))


def _stream_lane(event: TraceEvent, gpus: Sequence[int]) -> str:
    stream = f"stream {event.args.get('stream', event.thread[1])}"
    return stream if len(gpus) < 2 else f"GPU {_gpu_of(event)} {stream}"


def _device(gpus: Sequence[int], trace: Trace) -> str:
    return ", ".join(trace.gpus.get(gpu, "GPU") for gpu in gpus) or "cpu"
