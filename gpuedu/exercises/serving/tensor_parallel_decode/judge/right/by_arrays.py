# Whole numbers of numpy, and a dict of times.
import numpy as np


def shares(model, batch, length, gpus):
    whole = 4 * model["layers"] * model["kv_heads"] * (model["width"] // model["heads"])
    return np.array(
        [
            2 * model["parameters"] / gpus,
            batch * length * whole / min(gpus, model["kv_heads"]),
        ]
    )


def best_gpus(model, batch, length, counts, device):
    times = np.array([decode_s(model, batch, length, gpus, device) for gpus in counts])
    sizes = np.array([shares(model, batch, length, gpus).sum() for gpus in counts])
    times[sizes > device["memory_bytes"]] = np.inf
    return counts[np.argmin(times)] if np.isfinite(times).any() else 0
