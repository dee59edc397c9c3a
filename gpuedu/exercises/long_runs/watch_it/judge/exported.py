"""What `scrape` has to give: five metrics, of the right types, with few labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from prometheus_client.parser import text_string_to_metric_families

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Plain, Undecided

TYPES = {
    "train_steps_total": "counter",
    "train_tokens_total": "counter",
    "train_compute_seconds": "histogram",
    "train_loss": "gauge",
    "train_memory_bytes": "gauge",
}
BOUNDS_S = (0.25, 0.5, 1.0, 2.0)
_REL = 1e-9


_UNREAD = "that is judged once Prometheus can read what `scrape` gives"


class _UnreadableError(ValueError):
    """A text that Prometheus can't read."""


def records_of(rng: np.random.Generator, count: int, node: str) -> list[dict[str, Any]]:
    """What a process notes of its steps."""
    run, first = f"{rng.integers(16**6):06x}", int(rng.integers(100, 9000))
    return [
        {
            "node": node,
            "run": run,
            "step": first + place,
            "compute_ms": float(
                np.round(rng.choice([180, 400, 700, 1500, 3000]) + rng.uniform(0, 40), 2)
            ),
            "tokens": int(rng.integers(20_000, 60_000)),
            "loss": float(np.round(rng.uniform(1, 6), 4)),
            "memory_mib": int(rng.integers(30_000, 70_000)),
        }
        for place in range(count)
    ]


def _families(text: str) -> dict[str, Any]:
    """By the names that Prometheus shows."""
    try:
        found = list(text_string_to_metric_families(text))
    except Exception as fault:
        raise _UnreadableError(f"Prometheus can't read what `scrape` gives: {fault}") from None
    return {one.name + ("_total" if one.type == "counter" else ""): one for one in found}


def test_types(case: Case, observed: Plain) -> Iterator[Fault]:
    """Each metric is there, and of its type."""
    try:
        families = _families(observed["scraped"])
    except _UnreadableError as fault:
        yield Fault("types", str(fault))
        return
    for name, kind in TYPES.items():
        if name not in families:
            others = [one for one in families if not one.endswith("_created")]
            yield Fault("types", f"there is no `{name}`; there is {', '.join(others) or 'nothing'}")
            return
        got = families[name].type
        if got != kind:
            yield Fault("types", f"`{name}` is a {got}, and {_because(name)}")
            return
    bounds = {_bound(one) for one in families["train_compute_seconds"].samples}
    for bound_s in BOUNDS_S:
        if bound_s not in bounds:
            told = ", ".join(show(one) for one in sorted(bounds - {None}))
            yield Fault(
                "types", f"`train_compute_seconds` has buckets up to {told}, none to {bound_s}"
            )
            return


def _because(name: str) -> str:
    if name == "train_compute_seconds":
        return "it should show how these times are distributed"
    only = TYPES[name] == "counter"
    return "it only grows while a process lives" if only else "it goes up and down"


def _bound(sample: Any) -> float | None:
    if not sample.name.endswith("_bucket"):
        return None
    try:
        return float(sample.labels["le"])
    except (KeyError, ValueError):
        return None


def test_values(case: Case, observed: Plain) -> Iterator[Fault]:
    """Sums of all records, the last ones, and counts of each bucket, in base units."""
    try:
        families = _families(observed["scraped"])
    except _UnreadableError:
        yield Undecided("values", _UNREAD)
        return
    got = _totals(family for name, family in families.items() if name in TYPES)
    for key, wanted in _wanted(case.inputs["records"]).items():
        value = got.get(key)
        if value is None or not _is_close(value, wanted):
            name, bound = key
            bucket = f" up to {show(bound)} s" if bound is not None else ""
            told = "isn't there" if value is None else f"is {show(value)}"
            count = len(case.inputs["records"])
            yield Fault(
                "values",
                f"after {count} step{'s' if count > 1 else ''} `{name}`{bucket} {told}, expected "
                f"{show(wanted)}",
            )
            return


def _is_close(got: float, wanted: float) -> bool:
    if math.isnan(wanted):
        return math.isnan(got)
    return math.isclose(got, wanted, rel_tol=_REL)


def _totals(families: Any) -> Mapping[tuple[str, float | None], float]:
    """Sums over all labels but the buckets' bounds."""
    totals: Counter[tuple[str, float | None]] = Counter()
    for family in families:
        for sample in family.samples:
            if not sample.name.endswith("_created"):
                totals[sample.name, _bound(sample)] += sample.value
    return totals


def _wanted(records: Sequence[Mapping[str, Any]]) -> dict[tuple[str, float | None], float]:
    times_s = [one["compute_ms"] / 1000 for one in records]
    wanted: dict[tuple[str, float | None], float] = {
        ("train_steps_total", None): float(len(records)),
        ("train_tokens_total", None): float(sum(one["tokens"] for one in records)),
        ("train_compute_seconds_sum", None): math.fsum(times_s),
        ("train_compute_seconds_count", None): float(len(records)),
        ("train_loss", None): records[-1]["loss"],
        ("train_memory_bytes", None): float(records[-1]["memory_mib"] * 2**20),
    }
    for bound_s in BOUNDS_S:
        within = sum(one <= bound_s for one in times_s)
        wanted["train_compute_seconds_bucket", bound_s] = float(within)
    return wanted


def test_labels(case: Case, observed: Plain) -> Iterator[Fault]:
    """The label `node`, and no other that takes more and more values."""
    try:
        families = _families(observed["scraped"])
    except _UnreadableError:
        yield Undecided("labels", _UNREAD)
        return
    if not any(families[name].samples for name in TYPES if name in families):
        yield Undecided("labels", "`scrape` gives none of the five metrics")
        return
    node = case.inputs["records"][0]["node"]
    for name in TYPES:
        for sample in families[name].samples if name in families else ():
            labels = {one: value for one, value in sample.labels.items() if one != "le"}
            if labels == {"node": node}:
                continue
            told = ", ".join(f'{one}="{value}"' for one, value in labels.items())
            yield Fault("labels", f'`{name}` has the labels {{{told}}}, expected {{node="{node}"}}')
            return
