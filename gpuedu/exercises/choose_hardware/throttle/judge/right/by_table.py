# The clock by bisection, and all limits in one list.
import math


def clock_share(cap_w, static_w, dynamic_w):
    if cap_w >= static_w + dynamic_w:
        return 1
    if cap_w <= static_w:
        return 0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if static_w + dynamic_w * middle**3 < cap_w else (low, middle)
    return low


def capped_s(share, compute_s, memory_s):
    slowed = 0 if compute_s == 0 else math.inf if share == 0 else compute_s / share
    return slowed if slowed > memory_s else memory_s


def best_cap(caps_w, static_w, dynamic_w, compute_s, memory_s):
    table = []
    for cap_w in caps_w:
        share = clock_share(cap_w, static_w, dynamic_w)
        drawn_w = min(cap_w, static_w + dynamic_w)
        table.append((round(drawn_w * capped_s(share, compute_s, memory_s), 6), cap_w))
    return min(table)[1]
