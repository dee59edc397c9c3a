# the default stream computes; the host looks whether a copy is done, and streams are made by layer
def offload_step(device, backward, weights, gradients, updated, update):
    spare = [(device.buffer(gradients[0].size_bytes, "g"), None) for _ in (1, 2)]
    down, waiting = device.stream("down"), []
    for kernel, w, g in list(zip(backward, weights, gradients, strict=True))[::-1]:
        buffer, is_free = spare.pop(0)
        if is_free is not None:
            device.default_stream.wait_event(is_free)
        device.launch(kernel, reads=[w], writes=[buffer])
        is_there, is_copied = device.event(), device.event()
        is_there.record()
        down.wait_event(is_there)
        device.copy(g, buffer, down)
        is_copied.record(down)
        spare.append((buffer, is_copied))
        waiting.append(is_copied)
    ups = []
    for k, is_copied in zip(range(len(weights))[::-1], waiting, strict=True):
        if not is_copied.query():
            is_copied.synchronize()
        update(k)
        ups.append(device.stream(f"up {k}"))
        device.copy(weights[k], updated[k], ups[-1])
    for up in ups:
        up.synchronize()


def tokens_to_hide(flop_per_s, link_bytes_per_s, host_bytes_per_s):
    tokens = 1
    others_s = max(2 / link_bytes_per_s, 28 / host_bytes_per_s)
    while 4 * tokens / flop_per_s < others_s:
        tokens += 1
    return tokens
