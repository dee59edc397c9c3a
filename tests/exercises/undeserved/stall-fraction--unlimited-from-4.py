# must lose: full-queue
def step_s(load_s, compute_s, overlap):
    """Time of one step in a long run; with overlap, loader and device work side by side."""
    return max(load_s, compute_s) if overlap else load_s + compute_s


def bottleneck(loads_s, computes_s):
    """Who sets the pace of a long run: "loader" or "device"."""
    return "loader" if sum(loads_s) > sum(computes_s) else "device"


def done_times(loads_s, computes_s, depth):
    entered, taken, done = 0.0, [], []
    for i in range(len(loads_s)):
        entered += loads_s[i]
        if i >= depth and depth < 4:
            entered = max(entered, taken[i - depth])
        taken.append(max(entered, done[i - 1] if i else 0.0))
        done.append(taken[i] + computes_s[i])
    return done


def stall_share(loads_s, computes_s, depth):
    """Share of the whole time in which the device waits."""
    return 1 - sum(computes_s) / done_times(loads_s, computes_s, depth)[-1]
