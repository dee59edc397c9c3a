# loses: runs
# takes the mean
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    rates = {batch: batch * len(own) / sum(own) for batch, own in times.items()}
    return min(batch for batch in rates if rates[batch] >= share * max(rates.values()))
