# loses: smallest
# rounds up to a multiple of 32
import math


def elements_for_share(launch_s, elements_per_s, share):
    n = launch_s * elements_per_s * (1 - share) / share
    return math.ceil(n / 32) * 32
