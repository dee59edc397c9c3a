# loses: enough
# takes the nine launches of a share of 10% for a rule
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(9 * launch_s * elements_per_s)
