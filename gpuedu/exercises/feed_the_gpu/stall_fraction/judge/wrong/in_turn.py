# loses: done
# asks: That is one after the other. What does the loader do meanwhile?
def done_times(loads_s, computes_s, depth):
    return list(np.cumsum(loads_s) + np.cumsum(computes_s))
