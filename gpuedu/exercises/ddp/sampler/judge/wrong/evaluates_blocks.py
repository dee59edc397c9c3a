# loses: evaluation
# asks: All wait for the slowest, and may differ by one sample at most. How evenly can they be
#   shared?
def eval_part(samples, rank, ranks):
    each = samples // ranks
    end = samples if rank == ranks - 1 else (rank + 1) * each
    return list(range(rank * each, end))
