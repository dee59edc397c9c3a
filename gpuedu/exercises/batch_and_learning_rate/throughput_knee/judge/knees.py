"""Where a curve of rates bends, and where known mistakes would see it bend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from gpuedu.exercises.batch_and_learning_rate.step_costs import (
    Run,
    StepCost,
    median_rates,
    median_times,
)
from gpuedu.exercises.compare import Misconception


def first_within(rates: Mapping[int, float], share: float, best: float | None = None) -> int:
    """The first batch, in the order given, with ``share`` of the best rate; else the last."""
    best = max(rates.values()) if best is None else best
    return next((b for b, rate in rates.items() if rate >= share * best), list(rates)[-1])


def measured(runs: Sequence[Run], share: float) -> int:
    """The smallest batch whose median rate is within ``share`` of the best median rate."""
    return first_within(median_rates(runs), share)


def _by(choose: Callable[[list[float]], float]) -> Callable[..., int]:
    """The knee where each batch's time is chosen in another way than by the median."""

    def knee(runs: Sequence[Run], share: float) -> int:
        times: dict[int, list[float]] = {}
        for batch, time_s in runs:
            times.setdefault(batch, []).append(time_s)
        return first_within({b: b / choose(times[b]) for b in sorted(times)}, share)

    return knee


def _single_best(runs: Sequence[Run], share: float) -> int:
    """Medians, held against the best single run."""
    return first_within(median_rates(runs), share, max(batch / time_s for batch, time_s in runs))


def _largest(runs: Sequence[Run], share: float) -> int:
    """The largest batch within the share, not the smallest."""
    rates = median_rates(runs)
    return max(b for b, rate in rates.items() if rate >= share * max(rates.values()))


_MEAN_OR_MOST = (
    "That is with the mean of each batch's times, or the longest of them: one slow run moves it."
)

NOISE = (
    Misconception(_by(fmean), _MEAN_OR_MOST),
    Misconception(_by(min), "That is with the shortest time of each batch, which may be a slip."),
    Misconception(
        _by(lambda times: times[-1]),
        "That is with the last run of each batch alone. Does a dictionary keep one of several?",
    ),
    Misconception(_by(max), _MEAN_OR_MOST),
    Misconception(_by(lambda times: times[0]), "That is with the first run of each batch alone."),
    Misconception(
        _single_best,
        "That holds medians against the best *single* run. Which runs is the best rate taken from?",
    ),
)


def _until_a_drop(rates: Mapping[int, float]) -> dict[int, float]:
    kept: dict[int, float] = {}
    for batch, rate in rates.items():
        if kept and rate < max(kept.values()):
            break
        kept[batch] = rate
    return kept


def _little_gain(runs: Sequence[Run], share: float) -> int:
    rates = median_rates(runs)
    for batch, after in zip(list(rates), list(rates)[1:], strict=False):
        if rates[batch] >= share * rates[after]:
            return batch
    return list(rates)[-1]


def _of_the_largest(runs: Sequence[Run], share: float) -> int:
    rates = median_rates(runs)
    return first_within(rates, share, rates[max(rates)])


def _to_stay(runs: Sequence[Run], share: float) -> int:
    """From where on all are within the share."""
    rates = median_rates(runs)
    below = [b for b, rate in rates.items() if rate < share * max(rates.values())]
    return next((b for b in rates if not below or b > max(below)), max(rates))


def _first_in_the_list(runs: Sequence[Run], share: float) -> int:
    rates = median_rates(runs)
    return first_within({batch: rates[batch] for batch, _ in runs}, share)


def _of_the_shortest(times: Mapping[int, float]) -> int:
    return min(times, key=times.__getitem__)


def _near_the_shortest(runs: Sequence[Run], share: float) -> int:
    rates = median_rates(runs)
    return first_within(rates, share, rates[_of_the_shortest(median_times(runs))])


_NOT_THE_SMALLEST = (
    "That is the batch of the best rate, or the largest one near it. What is wanted is the "
    "*smallest* one near it."
)
_SHORTEST = (
    "That goes by the shortest *step*. How many samples does a step take, and which batch has the "
    "highest rate?"
)

BUMPS = (
    Misconception(
        _of_the_largest, "That takes the largest batch for the best one. Is its rate the highest?"
    ),
    Misconception(
        lambda runs, share: first_within(_until_a_drop(median_rates(runs)), share),
        "That stops where the curve falls for the first time. It may rise again.",
    ),
    Misconception(
        _little_gain,
        "That is where one more batch in the list gains little. Little now may be much later: hold "
        "each rate against the best one.",
    ),
    Misconception(
        lambda runs, share: max(median_rates(runs), key=median_rates(runs).__getitem__),
        _NOT_THE_SMALLEST,
    ),
    Misconception(
        _first_in_the_list, "That is the first one in the order of the list. The runs are in none."
    ),
    Misconception(
        _to_stay,
        "That is the batch from which on *all* are within the share. A later dip does no harm: "
        "you would not take that batch.",
    ),
    Misconception(lambda runs, share: _of_the_shortest(median_times(runs)), _SHORTEST),
    Misconception(_near_the_shortest, _SHORTEST),
    Misconception(_largest, _NOT_THE_SMALLEST),
)


def measured_cause(sets: Sequence[tuple[Sequence[Run], float]], got: Sequence[int]) -> str:
    """What to say of a mistake that gives these batches, each of them; else nothing.

    On one set of runs two mistakes may meet in one batch; on several they do not.
    """
    return next((says for given, says in _given(sets) if given == list(got)), "")


def are_unlike(sets: Sequence[tuple[Sequence[Run], float]]) -> bool:
    """Whether no two mistakes that are told apart give the same wrong batches."""
    truth = [measured(runs, share) for runs, share in sets]
    told: dict[tuple[int, ...], str] = {}
    wrong = ((tuple(given), says) for given, says in _given(sets) if given != truth)
    return all(told.setdefault(given, says) == says for given, says in wrong)


def _given(sets: Sequence[tuple[Sequence[Run], float]]) -> Iterator[tuple[list[int], str]]:
    for known in (*BUMPS, *NOISE):
        yield [known.gives(runs=runs, share=share) for runs, share in sets], known.says


RATES = (
    Misconception(
        lambda batch, cost: batch / (cost.launches * cost.launch_s + cost.on_device_s(batch)),
        "That is with host and device one after the other. Launches return at once: both work at "
        "the same time.",
    ),
    Misconception(
        lambda batch, cost: (
            batch / (max(cost.launches * cost.launch_s, cost.fixed_s) + batch * cost.per_sample_s)
        ),
        "There the samples begin when the last launch is out. The device works meanwhile: what are "
        "the two things that run side by side?",
    ),
    Misconception(
        lambda batch, cost: batch / max(cost.launches * cost.launch_s, batch * cost.per_sample_s),
        "That is without `fixed_s`.",
    ),
    Misconception(
        lambda batch, cost: (
            batch / max(cost.launches * cost.launch_s, cost.fixed_s, batch * cost.per_sample_s)
        ),
        "`fixed_s` and the samples are both the device's: one after the other.",
    ),
    Misconception(
        lambda batch, cost: batch / max(cost.launch_s, cost.on_device_s(batch)),
        "That is one launch. A step has `launches` of them.",
    ),
    Misconception(lambda batch, cost: batch / cost.on_device_s(batch), "Who launches?"),
    Misconception(
        lambda batch, cost: 1 / cost.step_s(batch),
        "That is steps per second. How many samples does a step take?",
    ),
    Misconception(lambda batch, cost: cost.step_s(batch), "That is the time of a step."),
    Misconception(lambda batch, cost: cost.step_s(batch) / batch, "That is the time of a sample."),
)


def model_causes(share: float, cost: StepCost) -> Mapping[int, str]:
    """Batches that known mistakes give for the knee of a model, with what to say."""
    by_host, by_fixed = cost.edges(share)
    hidden = (cost.launches * cost.launch_s - cost.fixed_s) / cost.per_sample_s
    known: dict[int, str] = {}
    for edge, says in (
        (by_host, "At that batch the device still spends too large a share on `fixed_s`."),
        (
            by_fixed,
            "At that batch the host is still the slower one: the device waits.",
        ),
        (
            hidden,
            "From there on the launches are hidden. Has the rate reached the share of its best by "
            "then, or long before?",
        ),
        (hidden * share, "Is that a share of the batch, or of the rate?"),
    ):
        for near in (int(edge), int(edge) + 1):
            known.setdefault(near, says)
    return known


def tells_apart(runs: Sequence[Run], share: float, kinds: Sequence[Misconception]) -> bool:
    """Whether each of these mistakes gives a wrong batch."""
    truth = measured(runs, share)
    return all(kind.gives(runs=runs, share=share) != truth for kind in kinds)
