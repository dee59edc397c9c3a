# loses: enough
# asks: That n makes the *work* a small share of the time. It is upside down.
import math


def elements_for_share(launch_s, elements_per_s, share):
    return math.ceil(launch_s * elements_per_s * share / (1 - share))
