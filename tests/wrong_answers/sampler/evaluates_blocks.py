# loses: evaluation
# the last rank gets the rest: nothing at all, or too much
def eval_part(samples, rank, ranks):
    each = samples // ranks
    end = samples if rank == ranks - 1 else (rank + 1) * each
    return list(range(rank * each, end))
