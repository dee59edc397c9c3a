# loses: knee
# asks: At that batch the device still spends too large a share on `fixed_s`.
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    return max(1, math.ceil(share * launches * launch_s / per_sample_s))
