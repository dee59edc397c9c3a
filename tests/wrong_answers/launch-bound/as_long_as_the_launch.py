# loses: enough
# thinks that the work has to be as long as the launch
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s)
