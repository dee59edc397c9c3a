# loses: runs
# asks: That is with the shortest time of each batch, which may be a slip.
def measured_knee(runs, share):
    rates = {}
    for batch, time_s in runs:
        rates[batch] = max(rates.get(batch, 0), batch / time_s)
    return min(batch for batch in rates if rates[batch] >= share * max(rates.values()))
