# loses: bottleneck
# asks: 25 of the 40 loads are longer than their step; the first takes 11 ms, the longest 12.9
#   ms. With a long queue, which of these numbers sets the pace of the run?
def bottleneck(loads_s, computes_s):
    return "loader" if max(loads_s) > max(computes_s) else "device"
