# loses: bumpy
# stops where the next batch gains little
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    rates = {batch: batch / statistics.median(times[batch]) for batch in sorted(times)}
    batches = list(rates)
    for batch, after in zip(batches, batches[1:]):
        if rates[batch] >= share * rates[after]:
            return batch
    return batches[-1]
