# loses: smallest
# doubles n until the share is small enough
import math


def elements_for_share(launch_s, elements_per_s, share):
    n = 1
    while launch_s / (launch_s + n / elements_per_s) > share:
        n *= 2
    return n
