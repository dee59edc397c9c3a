# loses: stall
# leaves out the wait for the first batch
def stall_share(loads_s, computes_s, depth):
    return 1 - sum(computes_s) / (done_times(loads_s, computes_s, depth)[-1] - loads_s[0])
