# loses: smallest
# gives the exact number and does not round
import math


def elements_for_share(launch_s, elements_per_s, share):
    return launch_s * elements_per_s * (1 - share) / share
