# loses: evaluation
# every rank evaluates everything
def eval_part(samples, rank, ranks):
    return list(range(samples))
