# loses: knee
# where the launches are hidden
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    return max(1, math.ceil((launches * launch_s - fixed_s) / per_sample_s))
