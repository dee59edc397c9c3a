# loses: smallest
# asks: `share` is between 0 and 1, not in per cent.
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s * (100 - share) / share)
