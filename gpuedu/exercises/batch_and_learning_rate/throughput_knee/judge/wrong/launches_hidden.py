# loses: knee
# asks: From there on the launches are hidden. Has the rate reached the share of its best by
#   then, or long before?
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    return max(1, math.ceil((launches * launch_s - fixed_s) / per_sample_s))
