# loses: runs
# asks: That is with the last run of each batch alone. Does a dictionary keep one of several?
def measured_knee(runs, share):
    rates = {batch: batch / time_s for batch, time_s in runs}
    return min(batch for batch in rates if rates[batch] >= share * max(rates.values()))
