"""What lr-finder asks beforehand (how the draft fails, which share of a rate is best); hints."""

from __future__ import annotations

from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.sweeps import KEPT, LIMIT
from gpuedu.exercises.contract import Prediction
from gpuedu.experiments import read_results


def uncorrected_steps() -> int:
    """How many steps the lesson's draft takes where all losses are equal: it does not correct."""
    first = average = 1 - KEPT
    steps = 1
    while average <= LIMIT * first:
        average = KEPT * average + (1 - KEPT)
        steps += 1
    return steps


def _medians() -> dict[str, list[float]]:
    """By share of the rate found, the median losses of runs with the small and the large batch."""
    values = read_results("rate-finder").values
    return {
        share: [found["losses"][share][1] for found in values["batches"].values()]
        for share in values["shares"]
    }


def _share() -> Prediction:
    medians = _medians()
    choices = ("twice", "the rate itself", "half", "a tenth")
    told = "; ".join(
        f"{share}: {small:.2f} and {large:.2f}"
        for share, (small, large) in medians.items()
        if share in choices
    )
    return Prediction(
        "which share of the rate of the lowest smoothed loss gives the lowest losses, added over "
        "both batches?",
        truth=min(choices, key=lambda share: sum(medians[share])),
        choices=choices,
        because=f"With batch 32 and 1,024, as medians: {told}. The rate itself is at the cliff, "
        "and half of it costs little where the cliff is farther off.",
    )


PREDICTIONS = {
    "lr-finder": Prediction(
        "how many steps does the draft take, where all losses are equal?",
        truth=uncorrected_steps(),
        unit="steps",
        exact=True,
        because="The average starts at 0: after three losses of 1 it is 0.1, 0.19 and 0.271, and "
        "0.271 is more than 2 times 0.1.",
    ),
    "lr-finder-share": _share(),
}

HINTS = (
    "`sweep`: how many factors are between the first and the last rate? What does the average need "
    "before you compare it with anything? And what does a comparison with NaN give? `find_rate`: "
    "which two objects does a sweep change, and what has to be done whatever happens?",
    "Rate k is `low * (high / low) ** (k / (count - 1))`. Keep `average` as it is in the draft, "
    "and make another number of it: `corrected = average / (1 - BETA ** (k + 1))`. Two questions "
    "end the sweep: `math.isfinite`, and the limit. For `find_rate`: copy two state dicts, sweep "
    "inside `try`, load them inside `finally`.",
    "`for k in range(count):` the rate, `average = BETA * average + (1 - BETA) * take_step(rate)`, "
    "`corrected = ...`; `if not math.isfinite(corrected) or corrected > LIMIT * min([corrected, "
    "*smoothed]): break`; then `rates.append(rate)` and `smoothed.append(corrected)`. `suggest`: "
    "`rates[smoothed.index(min(smoothed))] / 2`. `find_rate`: `kept = "
    "copy.deepcopy((model.state_dict(), optimizer.state_dict()))`; a `take_step(rate)` that sets "
    '`group["lr"] = rate` for each of `optimizer.param_groups` and returns `step()`; `try: return '
    "suggest(*sweep(take_step, low, high, count))`; `finally: model.load_state_dict(kept[0])`, "
    "`optimizer.load_state_dict(kept[1])`.",
)
