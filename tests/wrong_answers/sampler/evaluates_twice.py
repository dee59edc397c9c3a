# loses: evaluation
# fills up in the evaluation, too
def eval_part(samples, rank, ranks):
    each = math.ceil(samples / ranks)
    return [i % samples for i in range(rank, each * ranks, ranks)]
