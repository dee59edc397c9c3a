# loses: bottleneck
# asks: 6 of the 40 loads are longer than their step; the first takes 3.5 ms, the longest 87.6
#   ms. With a long queue, which of these numbers sets the pace of the run?
def bottleneck(loads_s, computes_s):
    late = sum(load > compute for load, compute in zip(loads_s, computes_s))
    return "loader" if 2 * late > len(loads_s) else "device"
