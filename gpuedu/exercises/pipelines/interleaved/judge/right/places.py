# forward and backward are merged by the place that each has in the list
def interleaved(stage, stages, micro_batches, chunks):
    ahead = 2 * (2 * (stages - 1 - stage) + (chunks - 1) * stages) + 1
    places = []
    for m in range(micro_batches):
        for c in range(chunks):
            group, rest = divmod(m, stages)
            at = group * stages * chunks + c * stages + rest
            places.append((2 * at, ("forward", m, c)))
            places.append((2 * at + ahead, ("backward", m, chunks - 1 - c)))
    return [action for _, action in sorted(places)]
