# loses: enough
# multiplies by the rest and does not divide by the share
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s * (1 - share))
