# straight lines by NumPy's interpolation, the cosine as a bend of them
import numpy as np


def rate_at(step, steps, warmup, peak, low, shape):
    if warmup:
        at, rates = [-1, warmup - 1, steps - 1], [0.0, 1.0, 2.0]
    else:
        at, rates = [0, steps - 1], [1.0, 2.0]
    if warmup == steps:
        at, rates = at[:-1], rates[:-1]
    where = float(np.interp(step, at, rates))
    if where <= 1:
        return peak * where
    done = where - 1
    if shape == "cosine":
        done = np.sin(np.pi / 2 * done) ** 2
    return np.float32(peak * (1 - done) + low * done)


def rescale(batch, steps, warmup, peak, new_batch, rule):
    power = {"linear": 1, "root": 0.5}[rule]
    return [
        np.int64(steps) * batch // new_batch,
        torch.tensor(warmup * batch // new_batch),
        peak * (new_batch / batch) ** power,
    ]
