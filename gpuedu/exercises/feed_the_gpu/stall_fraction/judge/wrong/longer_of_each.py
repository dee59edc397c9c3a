# loses: done
# asks: That takes the longer of the two in every step by itself. A loader that is fast for a
#   while gets ahead: where do those batches wait?
def done_times(loads_s, computes_s, depth):
    return list(np.cumsum([max(pair) for pair in zip(loads_s, computes_s)]))
