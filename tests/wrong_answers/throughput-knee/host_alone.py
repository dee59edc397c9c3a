# loses: knee
# looks at the host's side alone
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    return max(1, math.ceil(share * launches * launch_s / per_sample_s))
