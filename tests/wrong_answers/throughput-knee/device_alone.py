# loses: knee
# looks at the device's side alone
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    return max(1, math.ceil(share * fixed_s / ((1 - share) * per_sample_s)))
