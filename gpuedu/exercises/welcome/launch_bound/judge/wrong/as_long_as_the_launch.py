# loses: enough
# asks: With that n the work takes as long as the launch: the launch is half of the time.
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s)
