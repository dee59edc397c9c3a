# loses: stall
# asks: That begins with the first batch. The clock runs from 0, and the device waits for it.
def stall_share(loads_s, computes_s, depth):
    return 1 - sum(computes_s) / (done_times(loads_s, computes_s, depth)[-1] - loads_s[0])
