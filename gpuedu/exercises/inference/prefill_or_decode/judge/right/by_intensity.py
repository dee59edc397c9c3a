# Token by token, and by the ratio of FLOP and bytes.
def pass_flop(model, texts, cached, new):
    flop = 0
    for token in range(new):
        seen = cached + token + 1
        flop += 2 * model["parameters"]
        flop += 2 * 2 * model["layers"] * model["width"] * seen
    return flop * texts


def pass_bytes(model, texts, cached, new):
    kept = model["layers"] * model["kv_heads"] * model["width"] / model["heads"]
    read = texts * cached * 2 * kept
    written = texts * new * 2 * kept
    return 2 * (model["parameters"] + read + written)


def limit(flop, moved_bytes, device):
    ridge = device["flop_per_s"] / device["bytes_per_s"]
    if flop / moved_bytes < ridge:
        return "memory"
    return "arithmetic"


def enough_texts(flop, text_bytes, weight_bytes, device):
    ridge = device["flop_per_s"] / device["bytes_per_s"]
    if flop <= ridge * text_bytes:
        return math.inf
    return math.ceil(ridge * weight_bytes / (flop - ridge * text_bytes))
