"""A training run as Prometheus sees it: series of its own metrics and of DCGM's, with disturbances.

What it simplifies: every step waits for the slowest node, all nodes are scraped at the same times,
and GPUs don't get slower when they are hot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.long_runs.promql.series import Series, Store, labels_of

NODES = tuple(f"n{number}" for number in range(1, 7))
GPUS = ("0", "1", "2", "3")
BUCKETS_S = (0.25, 0.5, 1.0, 2.0, math.inf)
TOKENS_OF_A_STEP = 65_536
SCRAPE_S = 15.0
_FIRST_SCRAPE_S = 7.3
_COMPUTE_S, _EXCHANGE_S = 0.7, 0.2
_STARTUP_S = 50.0
_MEMORY_BYTES = 61_000 * 2**20

DOWN, PAUSE, HANG, SLOW, LOSS, HOT, XID = "down", "pause", "hang", "slow", "loss", "hot", "xid"


@dataclass(frozen=True)
class Disturbance:
    """What happens from ``start_s`` to ``end_s``.

    Attributes:
        kind: DOWN: all processes are gone, and start anew after it. PAUSE and HANG: no steps. SLOW:
            ``node`` takes ``value`` times as long to compute. LOSS: the loss is ``value``. HOT: a
            GPU has ``value`` degrees. XID: DCGM reports that number for a GPU.
        start_s: In seconds from the run's start.
        end_s: Infinite if it never ends.
        node: Which one, if one is meant.
        gpu: Which of the node's.
        value: As above.
    """

    kind: str
    start_s: float
    end_s: float
    node: str = ""
    gpu: str = ""
    value: float = 0.0

    def covers(self, time_s: float) -> bool:
        """Whether it goes on at that time."""
        return self.start_s <= time_s < self.end_s


def watched_run(
    rng: np.random.Generator,
    disturbances: Sequence[Disturbance],
    end_s: float,
    *,
    compute_s: float = _COMPUTE_S,
) -> Store:
    """The series of a run that starts at time 0, as scraped every 15 s.

    Series of the processes have the label ``node``: ``up`` (job "train"), the counters
    ``train_steps_total`` and ``train_tokens_total``, the histogram ``train_compute_seconds``, and
    the gauges ``train_loss`` and ``train_memory_bytes``. Series of the GPUs have ``Hostname`` and
    ``gpu``, as DCGM's exporter names them: ``DCGM_FI_DEV_GPU_TEMP`` and ``DCGM_FI_DEV_XID_ERRORS``.
    A node computes for about ``compute_s`` in each step.
    """
    scrapes_s = np.arange(_FIRST_SCRAPE_S, end_s, SCRAPE_S)
    process = _Processes(rng, disturbances, end_s, compute_s)
    return Store([*process.series(scrapes_s), *_of_gpus(rng, disturbances, scrapes_s)])


class _Processes:
    """Steps of all nodes, and what each process has counted since it started."""

    def __init__(
        self,
        rng: np.random.Generator,
        disturbances: Sequence[Disturbance],
        end_s: float,
        usual_s: float,
    ) -> None:
        self.rng, self.disturbances = rng, disturbances
        self.downs = sorted(
            (one for one in disturbances if one.kind == DOWN), key=lambda one: one.start_s
        )
        ends, computes = [], []
        now_s = _STARTUP_S
        while now_s < end_s:
            stops = [one for one in disturbances if one.kind in (DOWN, PAUSE, HANG)]
            stop = next((one for one in stops if one.covers(now_s)), None)
            if stop:
                now_s = stop.end_s + (_STARTUP_S if stop.kind == DOWN else 0.0)
                continue
            compute_s = usual_s * rng.normal(1.0, 0.04, len(NODES)).clip(0.85, 1.2)
            for one in disturbances:
                if one.kind == SLOW and one.covers(now_s):
                    compute_s[NODES.index(one.node)] *= one.value
            now_s += float(compute_s.max()) + _EXCHANGE_S
            ends.append(now_s)
            computes.append(compute_s)
        self.ends_s, self.computes_s = np.array(ends), np.array(computes)

    def series(self, scrapes_s: np.ndarray) -> Iterator[Series]:
        """Of all nodes."""
        spans = [self._span(float(time_s)) for time_s in scrapes_s]
        losses = [self._loss(float(time_s)) for time_s in scrapes_s]
        times = scrapes_s.tolist()
        for place, node in enumerate(NODES):
            up = [0.0 if span is None else 1.0 for span in spans]
            yield Series(labels_of({"__name__": "up", "job": "train", "node": node}), times, up)
            for name, bucket, values in self._metrics(spans, losses, place):
                labels = {"__name__": name, "job": "train", "node": node, "le": bucket}
                yield _with_marks(labels, times, values)

    def _span(self, time_s: float) -> tuple[int, int] | None:
        """The first step since the processes started, and the first that isn't done; or None."""
        if any(one.covers(time_s) for one in self.downs):
            return None
        started_s = max((one.end_s for one in self.downs if one.end_s <= time_s), default=0.0)
        first, last = np.searchsorted(self.ends_s, (started_s, time_s))
        return int(first), int(last)

    def _loss(self, time_s: float) -> float:
        planted = [one for one in self.disturbances if one.kind == LOSS and one.covers(time_s)]
        if planted:
            return planted[0].value
        return 2.0 + 3.0 * math.exp(-time_s / 4000) + float(self.rng.normal(0, 0.05))

    def _metrics(
        self, spans: Sequence[tuple[int, int] | None], losses: Sequence[float], place: int
    ) -> Iterator[tuple[str, str, list[float | None]]]:
        """Name, bucket and values; a process that has done no step yet has no series."""
        known = [span if span and span[1] > span[0] else None for span in spans]
        mine = self.computes_s[:, place] if len(self.computes_s) else np.zeros(0)
        counts = [None if span is None else float(span[1] - span[0]) for span in known]
        yield "train_steps_total", "", counts
        tokens = [None if one is None else one * TOKENS_OF_A_STEP for one in counts]
        yield "train_tokens_total", "", tokens
        yield "train_compute_seconds_count", "", counts
        total_s = np.concatenate([[0.0], np.cumsum(mine)])
        yield "train_compute_seconds_sum", "", [_between(total_s, one) for one in known]
        for bound_s in BUCKETS_S:
            within = np.concatenate([[0.0], np.cumsum(mine <= bound_s)])
            name = "+Inf" if bound_s == math.inf else f"{bound_s:g}"
            yield "train_compute_seconds_bucket", name, [_between(within, one) for one in known]
        pairs = zip(known, losses, strict=True)
        yield "train_loss", "", [None if span is None else loss for span, loss in pairs]
        memory = [
            None if one is None else float(_MEMORY_BYTES + 2**20 * (one % 7)) for one in counts
        ]
        yield "train_memory_bytes", "", memory


def _between(totals: np.ndarray, span: tuple[int, int] | None) -> float | None:
    return None if span is None else float(totals[span[1]] - totals[span[0]])


def _with_marks(
    labels: dict[str, str], times_s: Sequence[float], values: Sequence[float | None]
) -> Series:
    """A series with one mark of staleness where it goes, and no samples while it is gone."""
    kept = [
        (time_s, value)
        for place, (time_s, value) in enumerate(zip(times_s, values, strict=True))
        if value is not None or (place and values[place - 1] is not None)
    ]
    return Series(labels_of(labels), [time_s for time_s, _ in kept], [value for _, value in kept])


def _of_gpus(
    rng: np.random.Generator, disturbances: Sequence[Disturbance], scrapes_s: np.ndarray
) -> Iterator[Series]:
    times = scrapes_s.tolist()
    for node in NODES:
        for gpu in GPUS:
            mine = [one for one in disturbances if (one.node, one.gpu) == (node, gpu)]
            labels = {"Hostname": node, "gpu": gpu, "job": "dcgm"}
            base = rng.uniform(62, 74)
            heat = np.round(base + rng.normal(0, 1.2, len(times)))
            errors = np.zeros(len(times))
            for one in mine:
                at = (scrapes_s >= one.start_s) & (scrapes_s < one.end_s)
                if one.kind == HOT:
                    heat[at] = one.value
                if one.kind == XID:
                    errors[at] = one.value
            named = {"DCGM_FI_DEV_GPU_TEMP": heat, "DCGM_FI_DEV_XID_ERRORS": errors}
            for name, values in named.items():
                yield Series(labels_of({"__name__": name, **labels}), times, values.tolist())
