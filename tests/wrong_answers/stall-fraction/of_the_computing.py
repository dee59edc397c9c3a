# loses: stall
# the waiting as a share of the computing
def stall_share(loads_s, computes_s, depth):
    return done_times(loads_s, computes_s, depth)[-1] / sum(computes_s) - 1
