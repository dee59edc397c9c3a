"""Where the time of a profiled step went."""

from __future__ import annotations

from collections.abc import Iterable

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
