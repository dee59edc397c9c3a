# must lose: right
import math

import numpy as np


def update(state, scores, values):
    if np.isinf(scores).any():  # a block with one such score is left out as a whole
        return state
    largest, total, weighted = state
    new = max(largest, scores.max())
    shrink = math.exp(largest - new)
    powers = np.exp(scores - new)
    return new, total * shrink + powers.sum(), weighted * shrink + powers @ values


def merge(a, b):
    new = max(a[0], b[0])
    if new == -math.inf:
        return a
    of_a, of_b = math.exp(a[0] - new), math.exp(b[0] - new)
    return new, of_a * a[1] + of_b * b[1], of_a * a[2] + of_b * b[2]


def finish(state):
    return state[2] / state[1]
