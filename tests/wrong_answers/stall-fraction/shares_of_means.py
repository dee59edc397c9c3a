# loses: stall
# from the means, as if nothing came late
def stall_share(loads_s, computes_s, depth):
    load, compute = sum(loads_s), sum(computes_s)
    return max(0.0, 1 - compute / load)
