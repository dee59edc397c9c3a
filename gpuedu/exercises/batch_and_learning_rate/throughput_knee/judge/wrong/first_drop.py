# loses: bumpy
# asks: That stops where the curve falls for the first time. It may rise again.
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    rates = {batch: batch / statistics.median(times[batch]) for batch in sorted(times)}
    best, kept = 0, {}
    for batch, rate in rates.items():
        if rate < best:
            break
        best, kept[batch] = rate, rate
    return min(batch for batch in kept if kept[batch] >= share * best)
