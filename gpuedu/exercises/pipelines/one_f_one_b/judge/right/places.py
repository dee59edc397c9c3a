# forward and backward are merged by the place that each has in the list
def one_f_one_b(stage, stages, micro_batches):
    ahead = 2 * (stages - stage) - 1
    places = [(2 * m, "forward", m) for m in range(micro_batches)]
    places += [(2 * m + ahead, "backward", m) for m in range(micro_batches)]
    return [(kind, m) for _, kind, m in sorted(places)]
