# works with times: how long the work has to be, then how many elements fit
import math


def launch_share(launch_s, elements_per_s, n):
    whole_s = launch_s + n / elements_per_s
    return 1 - (n / elements_per_s) / whole_s


def elements_for_share(launch_s, elements_per_s, share):
    whole_s = launch_s / share
    work_s = whole_s - launch_s
    return math.ceil(work_s * elements_per_s)
