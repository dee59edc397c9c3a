"""batching: its pictures, of twelve texts that are served, and of waiting times under load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.serving.batching.asking import asking
from gpuedu.exercises.serving.batching.measuring import measured
from gpuedu.exercises.serving.server import Run, Served, serve
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.decades import write_decade
from gpuedu.figures.served import IDLE, READS, WAITS, WRITES, ServedGroup, ServedRow, plot_served

MEMORY, EXCEEDED = 1_000, "memory exceeded"
_LIMIT, _PROMPT = 150, 100
_ANSWERS = (30, 10, 20, 100, 60, 15, 80, 40, 20, 120, 30, 50)
_ARRIVALS_MS = (0, 0, 0, 0, 200, 300, 300, 900, 1000, 1100, 1800, 2000)
RATES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
_TICKS = RATES[::2]
_COUNT = 100
_SOURCE = "Simulated: 20 ms for a step, 0.5 ms more for each text, 0.1 ms for each prompt token."
_TOKENS = "Reserved: prompts and limits of the texts that run at the same time."
Policy = Callable[..., Any]


def twelve() -> list[dict[str, Any]]:
    """Texts with equal prompts and limits, and with answers of any length."""
    pairs = zip(_ARRIVALS_MS, _ANSWERS, strict=True)
    return [
        {"id": at, "arrival": float(ms), "prompt": _PROMPT, "limit": _LIMIT, "answer": answer}
        for at, (ms, answer) in enumerate(pairs, 1)
    ]


def draw_static(admit_static: Policy) -> Any:
    """Static batching alone, with the places that are idle until the last text is done."""
    return _drawn(
        [("static", admit_static, True)], "Static batching: finished texts wait for the rest"
    )


def draw_batching(admit_static: Policy, admit: Policy) -> Any:
    """Both policies, with the same texts."""
    return _drawn(
        [("static", admit_static, True), ("yours", admit, False)], "The same twelve texts"
    )


def _drawn(policies: list[tuple[str, Policy, bool]], title: str) -> Any:
    groups = [_group(name, admit, is_static) for name, admit, is_static in policies]
    caption = Caption(
        title=title,
        x="time (s)",
        y="text",
        source=f"{_SOURCE}\n{_TOKENS}",
        alt="Rows of bars, one for each text: when it waits, when its prompt is read, when it "
        f"writes. {'; '.join(group.says for group in groups)}.",
    )
    return plot_served(groups, caption=caption)


def _group(name: str, admit: Policy, is_static: bool) -> ServedGroup:
    run = serve(asking(admit, getattr(admit, "__name__", "admit")), twelve(), MEMORY)
    done = [one.tokens_ms[-1] for one in run.served if one.is_done]
    end_ms = max(done, default=0.0)
    lost = len(run.served) - len(done)
    says = f"{name}: done after {end_ms / 1e3:.2f} s" if done else f"{name}: no text was started"
    says += f", and {lost} never started" if done and lost else ""
    says += f"; at most {run.most_held:,} of {MEMORY:,} tokens held at once"
    if run.most_held > MEMORY:
        says += f": {EXCEEDED}"
    elif not lost:
        says += f", {_most_reserved(run):,} reserved"
    rows = [_row(one, run, max(end_ms, 1.0), is_static) for one in run.served]
    return ServedGroup(says, tuple(rows))


def _most_reserved(run: Run) -> int:
    """The most tokens that the texts which ran at the same time could have come to hold."""
    batches = (
        ask.running + [text for text in ask.waiting if text["id"] in ask.started]
        for ask in run.asks
    )
    return max(sum(text["prompt"] + text["limit"] for text in batch) for batch in batches)


def _row(one: Served, run: Run, end_ms: float, is_static: bool) -> ServedRow:
    start_ms = one.text["arrival"]
    if one.started_ms is None:
        return ServedRow(start_ms / 1e3, ((WAITS, max(start_ms, end_ms) / 1e3),))
    parts = [(WAITS, one.started_ms), (READS, one.tokens_ms[0]), (WRITES, one.tokens_ms[-1])]
    if is_static:
        batch = [other for other in run.served if other.started_ms == one.started_ms]
        parts.append((IDLE, max(other.tokens_ms[-1] for other in batch)))
    return ServedRow(start_ms / 1e3, tuple((kind, ms / 1e3) for kind, ms in parts))


def draw_load(admit_static: Policy, admit: Policy, metrics: Callable[..., Any]) -> Any:
    """The 99th percentile of the time to the first token, by texts that come in a second."""
    curves, exceeding = [], []
    for name, policy, color in (
        ("static", admit_static, style.ORANGE),
        ("yours", admit, style.BLUE),
    ):
        runs = [_served(policy, rate) for rate in RATES]
        found = [_ttft_s(run, metrics) for run in runs]
        curves.append(Curve(name, RATES, tuple(found), color))
        most = max(run.most_held for run in runs)
        if most > MEMORY:
            exceeding.append(f"{name}: {EXCEEDED}, {most:,} of {MEMORY:,} tokens held at once")
    told = "; ".join(
        f"{curve.name}: " + ", ".join(f"{y:.2g} s at {x:g}" for x, y in curve.drawn)
        for curve in curves
    )
    caption = Caption(
        title="\n".join(
            ["99 of 100 texts wait no longer than this for their first token", *exceeding]
        ),
        x="texts that arrive per second, at random",
        y="TTFT, 99th percentile (s)",
        source=f"{_SOURCE}\n{_COUNT} texts for each point, by your `metrics`. Both axes are "
        "logarithmic.",
        alt=f"Two curves over the rate of arrivals. {'; '.join([told, *exceeding])}.",
    )
    ax = plot_curves(curves, caption=caption, format_y=write_decade)
    ax.set_xticks(_TICKS, [f"{rate:g}" for rate in _TICKS])
    return ax


def _served(admit: Policy, rate: float) -> Run:
    name = getattr(admit, "__name__", "admit")
    run = serve(asking(admit, name), _stream(rate), MEMORY)
    if not all(one.is_done for one in run.served):
        raise AnswerError(
            f"`{name}` leaves texts that are never started, so there are no waiting times to draw",
            remedy="`check` shows a case.",
        )
    return run


def _ttft_s(run: Run, metrics: Callable[..., Any]) -> float:
    log = [{"arrival": one.text["arrival"], "tokens": [*one.tokens_ms]} for one in run.served]
    ttft_ms = measured(metrics, log)["ttft_p99"]
    if ttft_ms is None:
        raise AnswerError("the dict that `metrics` gives has no entry `ttft_p99`")
    return ttft_ms / 1e3


def _stream(rate: float) -> list[dict[str, Any]]:
    """Texts that come at random, the same ones at each rate."""
    rng = np.random.default_rng(3)
    arrivals = np.cumsum(rng.exponential(1e3 / rate, _COUNT))
    answers = np.minimum(_LIMIT, 1 + rng.exponential(45.0, _COUNT).astype(int))
    return [
        {"id": at, "arrival": float(ms), "prompt": _PROMPT, "limit": _LIMIT, "answer": int(answer)}
        for at, (ms, answer) in enumerate(zip(arrivals, answers, strict=True), 1)
    ]


PICTURE = draw_batching
