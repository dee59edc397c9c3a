# counts the launch in elements
import math


def launch_share(launch_s, elements_per_s, n):
    launch_elements = launch_s * elements_per_s
    return launch_elements / (launch_elements + n)


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s * (1 / share - 1))
