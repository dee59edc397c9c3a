# loses: bumpy
# the batch with the best rate
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    return max(times, key=lambda batch: batch / statistics.median(times[batch]))
