# loses: done
# asks: That waits for the first batch alone. What if a later batch comes late?
def done_times(loads_s, computes_s, depth):
    return list(loads_s[0] + np.cumsum(computes_s))
