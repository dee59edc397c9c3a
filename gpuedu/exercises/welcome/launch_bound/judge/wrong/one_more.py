# loses: smallest
# asks: One element fewer would do.
import math


def elements_for_share(launch_s, elements_per_s, share):
    return int(launch_s * elements_per_s * (1 - share) / share) + 1
