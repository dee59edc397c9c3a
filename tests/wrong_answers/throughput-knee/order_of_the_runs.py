# loses: bumpy
# the first in the list
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    rates = {batch: batch / statistics.median(own) for batch, own in times.items()}
    return next(batch for batch in rates if rates[batch] >= share * max(rates.values()))
