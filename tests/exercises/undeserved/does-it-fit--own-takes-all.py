# must lose: never
def state_bytes(parameters, precision, optimizer):
    kept = {"sgd": 0, "momentum": 1, "adam": 2}[optimizer]
    size = 2 if precision == "bf16" else 4
    copy = 2 if precision == "mixed" else 0
    return parameters * ((2 + kept) * size + copy)


def activation_bytes(model, batch, length, fused, recompute):
    layer = 36 * model["width"]
    if not fused:
        layer += 6 * model["heads"] * length
    layers = model["layers"] * layer
    if recompute:
        layers = model["layers"] * 4 * model["width"] + layer
    last = 10 * model["vocabulary"] + 6 * model["width"]
    return batch * length * (layers + last)


def cache_bytes(model, batch, length):
    head_width = model["width"] // model["heads"]
    return batch * length * model["layers"] * 2 * model["kv_heads"] * head_width * 2


def convolution_bytes(shapes, batch):
    return batch * sum(4 * channels * height * width for channels, height, width in shapes)


def devices_needed(shared_bytes, own_bytes, memory_bytes):
    free = 0.9 * memory_bytes - own_bytes
    if free < 0 or (free == 0 and shared_bytes):
        return math.inf
    return max(1, math.ceil(shared_bytes / free)) if shared_bytes else 1
