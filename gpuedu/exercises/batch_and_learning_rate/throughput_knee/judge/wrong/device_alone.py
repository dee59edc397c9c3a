# loses: knee
# asks: At that batch the host is still the slower one: the device waits.
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    return max(1, math.ceil(share * fixed_s / ((1 - share) * per_sample_s)))
