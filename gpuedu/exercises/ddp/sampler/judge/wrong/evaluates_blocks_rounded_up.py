# loses: evaluation
# asks: All wait for the slowest, and may differ by one sample at most. How evenly can they be
#   shared?
def eval_part(samples, rank, ranks):
    each = math.ceil(samples / ranks)
    return list(range(samples))[rank * each : (rank + 1) * each]
