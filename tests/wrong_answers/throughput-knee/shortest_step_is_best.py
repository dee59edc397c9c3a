# loses: bumpy
# takes the rate of the shortest step for the best one
def measured_knee(runs, share):
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    medians = {batch: statistics.median(own) for batch, own in times.items()}
    rates = {batch: batch / medians[batch] for batch in medians}
    best = rates[min(medians, key=medians.get)]
    return min(batch for batch in rates if rates[batch] >= share * best)
