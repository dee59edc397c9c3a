# The largest batch by a division; then smaller ones while they cost the same.
import math


def texts_that_fit(model, length, device):
    weights = -(-model["parameters"] * model["weight_bits"] // 8)
    if weights >= device["memory_bytes"]:
        return 0
    return int((device["memory_bytes"] - weights) // (model["token_bytes"] * length))


def step_s(model, batch, length, device):
    return max(
        (model["weight_bits"] * model["parameters"] / 8 + model["token_bytes"] * length * batch)
        / device["bytes_per_s"],
        model["parameters"] * batch / (device["flop_per_s"] / 2),
    )


def speeds(batch, seconds):
    one = 1 / seconds
    return [one * batch, one]


def per_million(tokens_per_s, price_per_hour, used):
    seconds = 1e6 / tokens_per_s
    return seconds / 3600 * price_per_hour / used


def cheapest(model, length, devices, least_per_s):
    def price(device, batch):
        everyone = speeds(batch, step_s(model, batch, length, device))[0]
        return round(per_million(everyone, device["price_per_hour"], 1), 6)

    best, best_key = None, (math.inf, 0)
    for device in devices:
        batch = texts_that_fit(model, length, device)
        while batch and speeds(batch, step_s(model, batch, length, device))[1] < least_per_s:
            batch -= 1
        if not batch:
            continue
        while batch > 1 and price(device, batch - 1) == price(device, batch):
            batch -= 1
        key = (price(device, batch), batch)
        if key < best_key:
            best, best_key = [device["name"], batch], key
    return best
