# must lose: best
def shares(model, batch, length, gpus):
    kv_heads = max(1, model["kv_heads"] // gpus)
    numbers = 2 * kv_heads * model["width"] // model["heads"]
    return 2 * model["parameters"] / gpus, 2 * batch * length * model["layers"] * numbers


def all_reduce_s(gpus, size_bytes, alpha_s, bytes_per_s):
    ring = 2 * (gpus - 1) * (alpha_s + size_bytes / gpus / bytes_per_s)
    tree = 2 * (gpus - 1).bit_length() * (alpha_s + size_bytes / bytes_per_s)
    return min(ring, tree)


def decode_s(model, batch, length, gpus, device):
    read_s = sum(shares(model, batch, length, gpus)) / device["bytes_per_s"]
    message = 2 * batch * model["width"]
    each_s = all_reduce_s(gpus, message, device["alpha_s"], device["link_bytes_per_s"])
    return read_s + 2 * model["layers"] * each_s


def best_gpus(model, batch, length, counts, device):
    best, best_s = 0, math.inf
    for gpus in sorted(counts):
        if sum(shares(model, batch, length, gpus)) > device["memory_bytes"]:
            continue
        s = decode_s(model, batch, length, gpus, device)
        if s > best_s:
            break
        best, best_s = gpus, s
    return best
