# All batches of a device at once, in arrays.
import numpy as np


def step_s(model, batch, length, device):
    weights = model["parameters"] * model["weight_bits"] / 8
    reading = (weights + model["token_bytes"] * length * batch) / device["bytes_per_s"]
    return np.maximum(reading, 2.0 * model["parameters"] * batch / device["flop_per_s"])


def cheapest(model, length, devices, least_per_s):
    rows = []
    for device in devices:
        fits = texts_that_fit(model, length, device)
        batches = np.arange(1, fits + 1)
        times = step_s(model, batches, length, device)
        prices = np.round(device["price_per_hour"] / 3600 * 1e6 * times / batches, 6)
        is_fast = 1 / times >= least_per_s
        if is_fast.any():
            prices[~is_fast] = np.inf
            best = int(np.argmin(prices))
            rows.append((prices[best], batches[best], device["name"]))
    if rows:
        _, batch, name = min(rows, key=lambda row: row[:2])
        return name, batch
