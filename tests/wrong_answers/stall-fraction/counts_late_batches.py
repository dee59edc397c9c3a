# loses: bottleneck
# who is slower in most of the steps
def bottleneck(loads_s, computes_s):
    late = sum(load > compute for load, compute in zip(loads_s, computes_s))
    return "loader" if 2 * late > len(loads_s) else "device"
