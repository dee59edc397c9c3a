# Per token first, and the overlap as one maximum.
def training_flop(model, batch, length):
    token = 6 * model["parameters"]
    for _ in range(model["layers"]):
        token += 12 * length * model["width"]
    return token * length * batch


def terms(flop, moved_bytes, gradient_bytes, launches, device, devices):
    chunk = gradient_bytes / devices
    link = sum(chunk / device["link_bytes_per_s"] for _ in range(2 * (devices - 1)))
    return [
        flop / device["flop_per_s"],
        moved_bytes / device["bytes_per_s"],
        link,
        launches * device["launch_s"],
    ]


def step_s(compute, memory, link, launch):
    forward = (compute + memory) / 3
    end = forward + max(2 * forward, link)
    return end + max(0, launch - 3 * forward)


def limit(compute, memory, link, launch):
    pairs = [(compute, "compute"), (memory, "memory"), (link, "link"), (launch, "launch")]
    return max(pairs)[1]


def decode_s(model, batch, length, device):
    kv_width = model["kv_heads"] * model["width"] / model["heads"]
    numbers = model["parameters"] + 2 * model["layers"] * kv_width * length * batch
    return max(
        2 * numbers / device["bytes_per_s"],
        2 * batch * model["parameters"] / device["flop_per_s"],
    )
