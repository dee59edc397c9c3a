# loses: smallest
# takes the share of the work for that of the whole
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s / share)
