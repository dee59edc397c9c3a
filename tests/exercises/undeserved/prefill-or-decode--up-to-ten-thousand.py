# must lose: texts
def enough_texts(flop, text_bytes, weight_bytes, device):
    for texts in range(1, 10_000):
        if limit(texts * flop, weight_bytes + texts * text_bytes, device) == "arithmetic":
            return texts
    return math.inf


def pass_flop(model, texts, cached, new):
    """The FLOP of a pass."""
    pairs = new * cached + new * (new + 1) // 2
    attention = 4 * model["layers"] * model["width"] * pairs
    return texts * (2 * model["parameters"] * new + attention)


def pass_bytes(model, texts, cached, new):
    """The bytes that a pass reads and writes."""
    head_width = model["width"] // model["heads"]
    token_bytes = 2 * 2 * model["layers"] * model["kv_heads"] * head_width
    return 2 * model["parameters"] + texts * (cached + new) * token_bytes


def limit(flop, moved_bytes, device):
    """What a pass waits for."""
    is_slower = flop / device["flop_per_s"] >= moved_bytes / device["bytes_per_s"]
    return "arithmetic" if is_slower else "memory"
