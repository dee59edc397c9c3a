# each side of the max is solved for the batch
import math


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    host = share * launches * launch_s / per_sample_s
    device = share * fixed_s / ((1 - share) * per_sample_s)
    return max(1, math.ceil(host), math.ceil(device))
