# must lose: never
def state_bytes(parameters, precision, optimizer):
    return 0


def activation_bytes(model, batch, length, fused, recompute):
    return 0


def cache_bytes(model, batch, length):
    return 0


def convolution_bytes(shapes, batch):
    return 0


def devices_needed(shared_bytes, own_bytes, memory_bytes):
    if shared_bytes == 0:
        return 1
    free = 0.9 * memory_bytes - own_bytes
    if free <= 0:
        return math.inf
    return max(1, math.ceil(shared_bytes / free))
