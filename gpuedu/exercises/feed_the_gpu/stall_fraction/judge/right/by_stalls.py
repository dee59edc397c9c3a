# adds up the gaps before each step
def stall_share(loads_s, computes_s, depth):
    done = done_times(loads_s, computes_s, depth)
    begun = [end - compute for end, compute in zip(done, computes_s)]
    gaps = [start - end for start, end in zip(begun, [0.0, *done])]
    return sum(gaps) / done[-1]


def bottleneck(loads_s, computes_s):
    load, compute = np.mean(loads_s), np.mean(computes_s)
    return "device" if compute >= load else "loader"
