"""read-the-profile: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.figures.caption import Caption
from gpuedu.figures.profile import plot_profile
from gpuedu.profiles import Profile
from gpuedu.units import format_time


def draw_own_profile(profile: Any) -> Any:
    """A profile that the learner recorded."""
    if not isinstance(profile, Profile):
        raise AnswerError(
            f"the picture is drawn of a profile, got {describe(profile)}",
            remedy="`profiles.profile(step)` records one.",
        )
    where = profile.device if profile.is_on_gpu else "the CPU of this machine"
    told = f"{len(profile.steps)} steps, {profile.kernels_per_step:.0f} kernels each"
    counted = "" if profile.is_on_gpu else " (operators that compute)"
    caption = Caption(
        f"Your step: {told}",
        f"Timeline of {told}{counted}, {format_time(profile.end_s)} in all, on {where}.",
        f"Recorded here, on {where}, by PyTorch's profiler, which slows small operators down.",
        x="time",
    )
    return plot_profile(profile, caption=caption)


PICTURE = draw_own_profile
