# returns a NumPy integer
import numpy as np


def copied_bytes(n, itemsize):
    return np.array([n * itemsize, n * itemsize], dtype=np.int64).sum()
