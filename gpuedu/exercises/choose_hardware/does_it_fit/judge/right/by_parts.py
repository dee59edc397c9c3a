# Sums over the parts, and devices counted up.
import math


def state_bytes(parameters, precision, optimizer):
    each = {"fp32": 8, "mixed": 10, "bf16": 4}[precision]
    number = 2 if precision == "bf16" else 4
    for name in ("sgd", "momentum", "adam"):
        if name == optimizer:
            return parameters * each
        each += number


def activation_bytes(model, batch, length, fused, recompute):
    tokens, d = batch * length, model["width"]
    whole = tokens * (36 * d + (0 if fused else 6 * model["heads"] * length))
    saved = [4 * tokens * d if recompute else whole] * model["layers"]
    saved += [whole] if recompute else []
    return sum(saved) + tokens * (10 * model["vocabulary"] + 6 * d)


def cache_bytes(model, batch, length):
    return (
        4 * batch * length * model["layers"] * model["kv_heads"] * model["width"] / model["heads"]
    )


def convolution_bytes(shapes, batch):
    return 4 * batch * sum(math.prod(shape) for shape in shapes)


def devices_needed(shared_bytes, own_bytes, memory_bytes):
    if own_bytes >= 0.9 * memory_bytes:
        return math.inf
    devices = 1
    while shared_bytes / devices + own_bytes > 0.9 * memory_bytes:
        devices += 1
    return devices
