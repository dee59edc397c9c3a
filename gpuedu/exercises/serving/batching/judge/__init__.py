"""batching: which texts a server starts before each step, and what its users see of that."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import RESULT, call_case
from gpuedu.exercises.serving.left_alone import deciding_that, left_alone
from gpuedu.exercises.serving.server import Ask, Run, serve

_LAWS = ("served", "memory", "order", "no-idling")
_MEASURES = ("throughput", "ttft", "tpot", "in-server")
_FEW, _SHORT = 10, 3
"""Lists of fewer values, and of fewer texts, are told in full."""
_PERCENTS = ((4, 50), (5, 50), (1, 99), (100, 99), (101, 99), (30, 90), (7, 100), (8, 1))
"""How many values, and which percentile; `ceil(percent / 100 * n)` is right in floats, too. NumPy's
``inverted_cdf`` is no other."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Texts alone, one at a time, all at once, in bursts and at random; percentiles; logs."""
    found = [_texts(rng, label, *drawn) for label, *drawn in _drawn(rng)]
    drawn = [_share(rng) for _ in range(4)]
    for count, percent in (*_PERCENTS, *drawn):
        values = rng.permutation(10 * count)[:count].astype(float)
        values[: count // 10] = values[-1]
        given = {"call": "percentile", "values": values.tolist(), "percent": percent}
        found.append(Case(f"percentile {percent} of {count} values", given, ("percentile",)))
    found += [call_case(_MEASURES, "metrics", log=log) for log in _logs(rng)]
    return deciding_that(found)


def _share(rng: np.random.Generator) -> tuple[int, int]:
    """As ``_PERCENTS``."""
    while True:
        count, percent = int(rng.integers(9, 100)), int(rng.integers(2, 99))
        if math.ceil(percent / 100 * count) == math.ceil(percent * count / 100):
            return count, percent


def _drawn(rng: np.random.Generator) -> Iterator[tuple[str, Any, Any, Any, Any, int]]:
    """For each case: arrivals, prompts, limits, answers and the memory, in tokens."""
    six, long = np.full(6, 12), np.array([20, 150, 10, 12, 14, 10])
    yield "six at once, room for three", 0 * six, six, six - 4, rng.integers(1, 9, 6), 60
    yield "six at once, a token too few", 0 * six, six, six - 4, rng.integers(1, 9, 6), 79
    yield "a long one after a short one", 0 * six, long, six, rng.integers(2, 12, 6), 165
    yield "one text alone", six[:1], six[:1], six[:1], six[:1] - 9, 24
    prompts, limits, answers = _sizes(rng, 4)
    most = int((prompts + limits).max())
    yield "one at a time", 10_000.0 * np.arange(4), prompts, limits, answers, most
    prompts, limits, answers = _sizes(rng, 16)
    arrivals = _poisson(rng, 16, 60.0)
    yield "answers that reach their limits", arrivals, prompts, limits, limits, 160
    for number in (1, 2):
        prompts, limits, answers = _sizes(rng, 24)
        arrivals, memory = _poisson(rng, 24, 80.0), int(rng.integers(110, 200))
        yield f"a stream of 24, number {number}", arrivals, prompts, limits, answers, memory
    prompts, limits, answers = _sizes(rng, 20)
    arrivals = np.where(np.arange(20) < 4, 400.0 * np.arange(20), 1700.0)
    yield "a burst of 16 after a quiet spell", arrivals, prompts, limits, answers, 220
    later, two = np.array([0.0, 100.0]), np.array([100, 90])
    limits = np.array([20, 10])
    yield "one that comes while a long one runs", later, two, limits, limits - 4, 130


def _poisson(rng: np.random.Generator, count: int, gap_ms: float) -> np.ndarray:
    return np.round(np.cumsum(rng.exponential(gap_ms, count)), 1)


def _sizes(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prompts, limits, and answers, of which most are shorter than their limits."""
    prompts, limits = rng.integers(1, 60, count), rng.integers(2, 40, count)
    return prompts, limits, rng.integers(1, limits + 1)


def _texts(
    rng: np.random.Generator,
    label: str,
    arrivals: np.ndarray,
    prompts: np.ndarray,
    limits: np.ndarray,
    answers: np.ndarray,
    memory_tokens: int,
) -> Case:
    ids = rng.permutation(900)[: len(arrivals)] + 100
    columns = ids, prompts, limits, answers
    names = ("id", "prompt", "limit", "answer")
    texts = [dict(zip(names, map(int, row), strict=True)) for row in zip(*columns, strict=True)]
    for text, arrival in zip(texts, arrivals, strict=True):
        text["arrival"] = float(arrival)
    return Case(label, {"call": "admit", "texts": texts, "memory_tokens": memory_tokens}, _LAWS)


def _logs(rng: np.random.Generator) -> Iterator[list[dict[str, Any]]]:
    yield [
        {"arrival": 130.0, "tokens": [150.0, 190.0]},
        {"arrival": 100.0, "tokens": [150.0, 170.0, 200.0]},
    ]
    yield [
        {"arrival": 40.0, "tokens": [70.0]},
        {"arrival": 20.0, "tokens": [50.0, 75.0, 110.0, 120.0]},
        {"arrival": 500.0, "tokens": [530.0, 550.0]},
    ]
    for count in (40, 150):
        log = []
        for arrival in rng.permutation(_poisson(rng, count, 30.0)):
            times = np.cumsum(rng.exponential(25.0, rng.integers(1, 30))) + arrival + 5.0
            log.append({"arrival": float(arrival), "tokens": np.round(times, 2).tolist()})
        yield log


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """The smallest value that at least so many percent of all do not exceed."""
    return min(x for x in values if 100 * sum(y <= x for y in values) >= percent * len(values))


def measures(log: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """All metrics of a log; the mean number in the server as an area over time."""
    waits = [text["tokens"][0] - text["arrival"] for text in log]
    paces = [float(np.mean(np.diff(text["tokens"]))) for text in log if len(text["tokens"]) > 1]
    moves = sorted(
        [(text["arrival"], 1) for text in log] + [(text["tokens"][-1], -1) for text in log]
    )
    area, inside = 0.0, 0
    for (at, by), (later, _) in itertools.pairwise(moves):
        inside += by
        area += inside * (later - at)
    span_ms = moves[-1][0] - moves[0][0]
    return {
        "tokens_per_s": 1e3 * sum(len(text["tokens"]) for text in log) / span_ms,
        "ttft_p50": nearest_rank(waits, 50),
        "ttft_p99": nearest_rank(waits, 99),
        "tpot_p50": nearest_rank(paces, 50),
        "tpot_p99": nearest_rank(paces, 99),
        "in_server": area / span_ms,
    }


def _run(case: Case, observed: Plain) -> Run:
    """What happened, again."""
    recorded = iter(observed["started"])
    return serve(lambda *_: next(recorded), case.inputs["texts"], case.inputs["memory_tokens"])


def _needs(text: Mapping[str, Any]) -> int:
    return text["prompt"] + text["limit"]


def _in_batch(ask: Ask) -> list[dict[str, Any]]:
    """Who runs after an ask."""
    return ask.running + [text for text in ask.waiting if text["id"] in ask.started]


def _left(ask: Ask) -> list[dict[str, Any]]:
    """Who still waits after an ask."""
    return [text for text in ask.waiting if text["id"] not in ask.started]


def _test_served(case: Case, run: Run) -> Iterator[str]:
    lost = [one for one in run.served if not one.is_done]
    if lost:
        one = lost[0].text
        many = "1 text is" if len(lost) == 1 else f"{len(lost)} of {len(run.served)} texts are"
        yield (
            f"at the end nothing runs, and {many} never started: text {one['id']}, with a prompt "
            f"of {one['prompt']} and a limit of {one['limit']}, where the memory has "
            f"{case.inputs['memory_tokens']} tokens"
        )


def _test_memory(case: Case, run: Run) -> Iterator[str]:
    memory = case.inputs["memory_tokens"]
    for ask in run.asks:
        batch = _in_batch(ask)
        total = sum(map(_needs, batch))
        if total > memory and ask.started:
            yield (
                f"at {ask.time_ms:.6g} ms it started {_ids(ask.started)}; prompts and limits of "
                f"the {len(batch)} texts that run now add up to {total} tokens, and the memory has "
                f"{memory}"
            )


def _test_order(case: Case, run: Run) -> Iterator[str]:
    for ask in run.asks:
        waited = [text["id"] for text in ask.waiting]
        skipped = set(waited[: len(ask.started)]) - set(ask.started)
        if skipped:
            first = next(one for one in waited if one in skipped)
            later = next(one for one in waited[waited.index(first) :] if one in ask.started)
            yield (
                f"at {ask.time_ms:.6g} ms it started {later}, and {first}, which is before it in "
                f"`waiting`, was left there"
            )


def _test_no_idling(case: Case, run: Run) -> Iterator[str]:
    memory = case.inputs["memory_tokens"]
    for ask in run.asks:
        room = memory - sum(map(_needs, _in_batch(ask)))
        left = _left(ask)
        if left and _needs(left[0]) <= room:
            yield (
                f"at {ask.time_ms:.6g} ms, text {left[0]['id']} was left waiting. It needs "
                f"{_needs(left[0])} tokens at most, and {_beside(len(_in_batch(ask)))}there is "
                f"room for {room}"
            )


def _is_one_by_one(case: Case, run: Run) -> bool:
    """Whether no two texts ever ran together, and somebody waited who had room."""
    is_alone = all(len(_in_batch(ask)) < 2 for ask in run.asks)
    return is_alone and any(True for _ in _test_no_idling(case, run))


def _beside(count: int) -> str:
    """What the room is left by."""
    if not count:
        return ""
    texts = "the text that runs" if count == 1 else f"the {count} texts that run"
    return f"besides what {texts} may still reach "


def _ids(ids: Sequence[int]) -> str:
    shown = ", ".join(map(str, ids[:4]))
    return f"{shown} and {len(ids) - 4} more" if len(ids) > 4 else shown


def _test_blind(run: Run) -> Iterator[str]:
    """What starts a text whose prompt alone is too long for what is free holds nothing back."""
    for ask in run.asks:
        for text in ask.waiting:
            if text["id"] in ask.started and text["prompt"] > ask.free_tokens:
                yield (
                    f"it started text {text['id']}, with a prompt of {text['prompt']}, where "
                    f"{ask.free_tokens} tokens of the memory were free"
                )


def _law(
    name: str,
    says: str,
    points: float,
    asks: str,
    test: Callable[[Case, Run], Iterator[str]],
) -> Property:
    """A property of a whole run; its first fault is told."""

    def tested(case: Case, observed: Plain) -> Iterator[Fault | Undecided]:
        run = _run(case, observed)
        for told in itertools.islice(test(case, run), 1):
            yield Fault(name, told)
        if name == "memory" and _is_one_by_one(case, run):
            yield Undecided(name, "no two texts ran at the same time, and there was room for them")
        if name != "memory":
            for told in itertools.islice(_test_blind(run), 1):
                yield Undecided(name, told)

    return Property(name, says, points, asks, tested, () if name == "served" else ("served",))


def _test_percentile(case: Case, observed: Plain) -> Iterator[Fault]:
    values, percent = case.inputs["values"], case.inputs["percent"]
    shown = f"percentile({values if len(values) < _FEW else 'values'}, {percent})"
    truth = nearest_rank(values, percent)
    yield from number_fault("percentile", shown, observed[RESULT], truth, rel=1e-12)


def _measure(name: str, says: str, asks: str, *parts: str) -> Property:
    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        log = case.inputs["log"]
        truth = measures(log)
        for part in parts:
            if observed[part] is None:
                yield Undecided(name, f"the dict that `metrics` gives has no entry `{part}`")
                return
            shown = f'metrics({log if len(log) < _SHORT else "log"})["{part}"]'
            yield from number_fault(name, shown, observed[part], truth[part])

    return Property(name, says, 1, asks, test)


JUDGE = Judge(
    title="Who runs when",
    properties=(
        _law(
            "served",
            "every text is served",
            0.5,
            "Which texts does it start when nothing runs and the whole memory is free?",
            _test_served,
        ),
        _law(
            "memory",
            "the texts that run never need more than the memory, even if all reach their limits",
            2,
            "How many tokens may each of these texts hold in the end, and how many are free now?",
            _test_memory,
        ),
        _law(
            "order",
            "first come, first served",
            1,
            "What happens to the text that was passed over if such later ones keep coming?",
            _test_order,
        ),
        _law(
            "no-idling",
            "nobody waits while there is room",
            1,
            "What made that text wait at this moment?",
            _test_no_idling,
        ),
        Property(
            "percentile",
            "`percentile`: the smallest value that at least that share of the values don't exceed",
            1,
            "Sort the values and count: how many of them are at most your result?",
            _test_percentile,
        ),
        _measure(
            "throughput",
            "`tokens_per_s`: all tokens, over the whole time",
            "When does the whole time start and end, and in which unit is it?",
            "tokens_per_s",
        ),
        _measure(
            "ttft",
            "`ttft_p50` and `ttft_p99`: the time to the first token",
            "What is the time to the first token of each of these texts, in order of size?",
            "ttft_p50",
            "ttft_p99",
        ),
        _measure(
            "tpot",
            "`tpot_p50` and `tpot_p99`: the time per output token after the first",
            "When does that time start and end, and how many gaps are in it?",
            "tpot_p50",
            "tpot_p99",
        ),
        _measure(
            "in-server",
            "`in_server`: how many texts are there on average",
            "How long is each text there, and what would the sum of these times be if a single "
            "text were there all the time?",
            "in_server",
        ),
        left_alone(0.5, ("memory", "percentile", "ttft")),
    ),
    hints=(
        "`free_tokens` is what is free now. A running text goes on growing: by how many tokens at "
        "most? What is left after that is the room for new ones.",
        "Start with `room = free_tokens`, less `limit - made` for each running text. Go through "
        "`waiting` from its front, take `prompt + limit` off, and stop at the first that does not "
        "fit. For the mean number of texts, add up how long each was there.",
        "`percentile`: `sorted(values)[math.ceil(percent * len(values) / 100) - 1]`. A text's time "
        "per output token: `(tokens[-1] - tokens[0]) / (len(tokens) - 1)`. `in_server`: the sum of "
        "all `tokens[-1] - arrival`, over the time from the first arrival to the last token.",
    ),
    cases=cases,
    predictions={
        "batching": Prediction(
            "A static batch of four texts, whose answers have 10, 20, 30 and 100 tokens: what "
            "percentage of its places is idle, on average over its steps?",
            truth=60,
            unit="%",
            because="The batch takes 100 steps with 4 places each, and makes 160 tokens: 240 of "
            "400 places are idle.",
            exact=True,
        ),
    },
)
