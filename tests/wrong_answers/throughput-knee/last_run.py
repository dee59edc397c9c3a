# loses: runs
# keeps the last run of each batch
def measured_knee(runs, share):
    rates = {batch: batch / time_s for batch, time_s in runs}
    return min(batch for batch in rates if rates[batch] >= share * max(rates.values()))
