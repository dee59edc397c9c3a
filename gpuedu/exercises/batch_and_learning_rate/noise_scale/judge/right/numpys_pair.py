# two equations for NumPy, whose array is the pair
import numpy as np


def noise_terms(few, many, few_square, many_square):
    return np.linalg.solve([[1, 1 / few], [1, 1 / many]], [few_square, many_square])
