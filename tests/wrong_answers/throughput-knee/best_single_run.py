# loses: runs
# holds medians against the best single run
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    rates = {batch: batch / statistics.median(own) for batch, own in times.items()}
    best = max(batch / time_s for batch, time_s in runs)
    return min((batch for batch in rates if rates[batch] >= share * best), default=max(rates))
