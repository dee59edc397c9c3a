"""Where the time of a profiled step went, and where somebody may think that it went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gpuedu.clock.timeline import difference, intersection, length_s, union
from gpuedu.profiles import Profile, Span

Shares = dict[str, float]


def _spans(found: Iterable[Span]) -> list[tuple[float, float]]:
    return [(one.start_s, one.end_s) for one in found]


def where_it_went(profile: Profile) -> Shares:
    """Seconds: a kernel ran; else a copy did; else the host was in an operator; else Python."""
    whole = [(0.0, profile.end_s)]
    idle = difference(whole, _spans(profile.kernels))
    no_copy = difference(idle, _spans(profile.copies))
    return {
        "kernels": length_s(union(_spans(profile.kernels))),
        "copies": length_s(intersection(idle, _spans(profile.copies))),
        "launches": length_s(intersection(no_copy, _spans(profile.operators))),
        "python": length_s(difference(no_copy, _spans(profile.operators))),
    }


def largest(profile: Profile) -> str:
    """Where most of the time went."""
    shares = where_it_went(profile)
    return max(shares, key=shares.__getitem__)


def _sum_of(found: Iterable[Span]) -> float:
    return sum(one.time_s for one in found)


def _python_to_the_last_span(profile: Profile) -> float:
    last = max(one.end_s for one in (*profile.kernels, *profile.copies, *profile.operators))
    return where_it_went(profile)["python"] - (profile.end_s - last)


MISTAKES: Mapping[str, tuple[tuple[Callable[[Profile], float], str], ...]] = {
    "kernels": (
        (
            lambda p: _sum_of(p.kernels),
            "That is the sum of all kernels' times. Two that ran at the same time, on two streams, "
            "made the device busy once.",
        ),
        (
            lambda p: length_s(union(_spans((*p.kernels, *p.copies)))),
            "Copies are in it. While a copy runs and no kernel does, nothing is computed.",
        ),
        (
            lambda p: p.busy_s(p.kernels[0].lane),
            "That is one stream. The device computes while a kernel of any stream runs.",
        ),
    ),
    "copies": (
        (
            lambda p: _sum_of(p.copies),
            "That is all copies. The one beside the kernels cost nothing: the device was busy.",
        ),
    ),
    "launches": (
        (
            lambda p: _sum_of(p.operators),
            "That is the sum of all operators' times: of one inside another both, and also those "
            "beside which the device was busy.",
        ),
        (
            lambda p: p.busy_s("host"),
            "That is how long the host was in operators. While the device computed, that cost "
            "nothing.",
        ),
        (
            lambda p: length_s(
                intersection(difference([(0.0, p.end_s)], _spans(p.kernels)), _spans(p.operators))
            ),
            "While the host waits for a copy, it is in an operator, too. That time goes to copies.",
        ),
    ),
    "python": (
        (
            lambda p: p.end_s - p.busy_s("host"),
            "That is how long the host was outside of operators. While the device computed, that "
            "cost nothing.",
        ),
        (
            _python_to_the_last_span,
            "Something is missing at the end: a step may end in Python, behind the last operator. "
            "`profile.end_s` is the end.",
        ),
    ),
}
