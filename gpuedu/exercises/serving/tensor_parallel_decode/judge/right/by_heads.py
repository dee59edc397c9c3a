# The heads of one GPU counted one by one, and a tree that is walked up.
import math


def shares(model, batch, length, gpus):
    mine = model["heads"] // gpus
    group = model["heads"] // model["kv_heads"]
    needed = {head // group for head in range(mine)}
    each = model["width"] / model["heads"]
    cache = len(needed) * each * 4 * model["layers"] * batch * length
    return [model["parameters"] * 2 / gpus, cache]


def all_reduce_s(gpus, size_bytes, alpha_s, bytes_per_s):
    if gpus == 1:
        return 0
    beta = 1 / bytes_per_s
    depth = math.ceil(math.log2(gpus))
    chunk = size_bytes / gpus
    return 2 * min((gpus - 1) * (alpha_s + beta * chunk), depth * (alpha_s + beta * size_bytes))


def decode_s(model, batch, length, gpus, device):
    total = 0
    for part in shares(model, batch, length, gpus):
        total += part / device["bytes_per_s"]
    size = batch * model["width"] * 2
    for _ in range(model["layers"]):
        total += 2 * all_reduce_s(gpus, size, device["alpha_s"], device["link_bytes_per_s"])
    return total


def best_gpus(model, batch, length, counts, device):
    best = None
    for gpus in sorted(counts):
        weights, cache = shares(model, batch, length, gpus)
        if weights + cache > device["memory_bytes"]:
            continue
        step = decode_s(model, batch, length, gpus, device)
        if best is None or step < best[0]:
            best = step, gpus
    return best[1] if best else 0
