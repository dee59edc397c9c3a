# loses: bottleneck
# by the longest of each
def bottleneck(loads_s, computes_s):
    return "loader" if max(loads_s) > max(computes_s) else "device"
