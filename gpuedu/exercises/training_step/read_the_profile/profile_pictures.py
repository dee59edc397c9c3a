"""Pictures and tables of profiles: three slow steps that were planted, and the learner's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, number
from gpuedu.exercises.training_step.read_the_profile.planted import CAUSES, SHOWN, Plan, take_steps
from gpuedu.experiments import read_results
from gpuedu.figures.caption import Caption
from gpuedu.figures.profile import plot_profile
from gpuedu.profiles import short_name
from gpuedu.units import format_time

_SIMULATED = (
    "Simulated: a host, a stream and a link of assumed speeds; no GPU was measured.\n"
    "Fine stripes are many short bars side by side, each at its true width."
)


_TOP = 3


def draw_slow_step(name: str, *, shown: Mapping[str, Plan] = SHOWN) -> Any:
    """Two steps of one of the three planted ones."""
    if name not in shown:
        raise AnswerError(f"there is no step {describe(name)}", remedy=f"one of {', '.join(shown)}")
    profile = take_steps(shown[name])
    caption = Caption(
        f"Step {name}, twice",
        f"Timeline of two simulated steps of {format_time(profile.end_s)} together: host, stream "
        f"and copies. The device computes {profile.busy_s('device') / profile.end_s:.0%} of it.",
        _SIMULATED,
        x="time",
    )
    return plot_profile(profile, caption=caption)


def list_costs(*, shown: Mapping[str, Plan] = SHOWN) -> str:
    """What takes longest in each of the three, on the device and on the host."""
    lines = []
    for name, plan in shown.items():
        profile = take_steps(plan)
        lines.append(f"step {name}, twice: {format_time(profile.end_s)}")
        for lane in ("device", "host"):
            for cost in profile.costs(_TOP, lane=lane):
                told = f"{format_time(cost.self_s):>8} in {cost.calls:3} calls"
                lines.append(f"   {lane:7} {short_name(cost.name):22} {told}")
    return "\n".join(lines)


def list_shares(where_it_went: Any, *, shown: Mapping[str, Plan] = SHOWN) -> str:
    """Where the time of the three went, by the learner's function."""
    lines = ["step" + "".join(f"{cause:>10}" for cause in CAUSES) + "       sum"]
    for name, plan in shown.items():
        profile = take_steps(plan)
        got = where_it_went(profile)
        if type(got) is not dict or not set(CAUSES) <= set(got):
            raise AnswerError(f"`where_it_went` should return a dict of {', '.join(CAUSES)}")
        shares = [float(number(got[cause], cause)) / profile.end_s for cause in CAUSES]
        cells = "".join(f"{share:>10.0%}" for share in (*shares, sum(shares)))
        lines.append(f"{name:4}{cells}")
    return "\n".join([*lines, "Of the simulated time, by your function."])


def list_compiled() -> str:
    """What torch.compile made of an update, and of forward and backward."""
    found = read_results("compiled-step")
    lines = ["                        operators    compiled loops    matrix products left"]
    for name, counts in found.values.items():
        cells = f"{counts['eager']:9}{counts['loops']:18}{counts['library']:24}"
        lines.append(f"{name:24}{cells}")
    return "\n".join([*lines, f"{found.source} Loops for a CPU: a GPU's kernels differ."])
