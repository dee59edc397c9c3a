# Small events one after another, and the minimum by thirds.
import math


def run_h(up_h, work_h, interval_h, save_h, restart_h):
    ends = list(up_h)
    elapsed, stretch, saved = 0.0, 0, 0.0
    now = 0.0
    while True:
        end = ends[stretch] if stretch < len(ends) else math.inf
        left = work_h - saved
        is_last = left <= interval_h
        needed = left if is_last else interval_h + save_h
        if now + needed > end:
            elapsed, stretch, now = elapsed + end, stretch + 1, restart_h
            continue
        now += needed
        if is_last:
            return elapsed + now
        saved += interval_h


def expected_h(work_h, interval_h, save_h, restart_h, mean_h):
    pieces = work_h / interval_h
    attempt = math.expm1((interval_h + save_h) / mean_h) * mean_h
    return pieces * attempt * math.e ** (restart_h / mean_h)


def best_interval(save_h, restart_h, mean_h):
    low, high = 1e-6, 5 * mean_h
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        first = expected_h(1, left, save_h, restart_h, mean_h)
        if first < expected_h(1, right, save_h, restart_h, mean_h):
            high = right
        else:
            low = left
    return (low + high) / 2
