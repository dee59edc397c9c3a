# loses: smallest
# asks: That makes the launch a `share` of the work. It should be a share of launch plus work.
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s / share)
