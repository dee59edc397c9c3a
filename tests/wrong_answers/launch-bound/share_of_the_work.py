# loses: enough
# takes the share of the launch for the share of the work
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s * share / (1 - share))
