# loses: enough
# asks: One element more is needed: which way did you round?
import math


def elements_for_share(launch_s, elements_per_s, share):
    return round(launch_s * elements_per_s * (1 - share) / share)
