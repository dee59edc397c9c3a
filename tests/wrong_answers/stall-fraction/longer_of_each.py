# loses: done
# the longer of the two, step by step
def done_times(loads_s, computes_s, depth):
    return list(np.cumsum([max(pair) for pair in zip(loads_s, computes_s)]))
