# must lose: stopped
import math


def clock_share(cap_w, static_w, dynamic_w):
    return min(1.0, (max(0.0, cap_w - static_w) / dynamic_w) ** (1 / 3))


def capped_s(share, compute_s, memory_s):
    if share == 0:
        return math.inf if compute_s > memory_s else memory_s  # the arithmetic never ends
    return max(compute_s / share, memory_s)


def best_cap(caps_w, static_w, dynamic_w, compute_s, memory_s):
    def energy(cap_w):
        share = clock_share(cap_w, static_w, dynamic_w)
        return (static_w + dynamic_w * share**3) * capped_s(share, compute_s, memory_s)

    return min(sorted(caps_w), key=energy)
