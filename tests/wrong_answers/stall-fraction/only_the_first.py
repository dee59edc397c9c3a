# loses: done
# waits for the first batch and never again
def done_times(loads_s, computes_s, depth):
    return list(loads_s[0] + np.cumsum(computes_s))
