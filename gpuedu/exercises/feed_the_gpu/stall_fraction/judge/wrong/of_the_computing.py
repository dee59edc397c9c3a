# loses: stall
# asks: That is a share of the computing. What is wanted is one of the whole time.
def stall_share(loads_s, computes_s, depth):
    return done_times(loads_s, computes_s, depth)[-1] / sum(computes_s) - 1
