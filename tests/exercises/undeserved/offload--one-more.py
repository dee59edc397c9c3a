# must lose: tokens
def offload_step(device, backward, weights, gradients, updated, update):
    """A backward pass whose optimizer is on the host."""
    run, down, up = (device.stream(name) for name in ("run", "down", "up"))
    buffers = [device.buffer(gradients[0].size_bytes, f"gradient {i}") for i in range(2)]
    written, copied = ([device.event() for _ in weights] for _ in range(2))
    order = list(reversed(range(len(weights))))
    for place, k in enumerate(order):
        buffer = buffers[place % 2]
        if place >= 2:
            run.wait_event(copied[k + 2])
        device.launch(backward[k], reads=[weights[k]], writes=[buffer], stream=run)
        written[k].record(run)
        down.wait_event(written[k])
        device.copy(gradients[k], buffer, down)
        copied[k].record(down)
    for k in order:
        copied[k].synchronize()
        update(k)
        device.copy(weights[k], updated[k], up)
    device.synchronize()


def tokens_to_hide(flop_per_s, link_bytes_per_s, host_bytes_per_s):
    slower_s = max(2 / link_bytes_per_s, 28 / host_bytes_per_s)
    return max(1, math.floor(slower_s * flop_per_s / 4) + 1)
