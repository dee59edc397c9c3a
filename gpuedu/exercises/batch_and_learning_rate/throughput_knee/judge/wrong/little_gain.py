# loses: bumpy
# asks: That is where one more batch in the list gains little. Little now may be much later:
#   hold each rate against the best one.
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
