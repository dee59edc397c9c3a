# loses: smallest
# takes the share for percent
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s * (100 - share) / share)
