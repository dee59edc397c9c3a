# loses: stall
# asks: That is from the sums, as if every batch came at an even pace. Some come late: what does
#   `done_times` say?
def stall_share(loads_s, computes_s, depth):
    load, compute = sum(loads_s), sum(computes_s)
    return max(0.0, 1 - compute / load)
