# kernel and copy of a layer on one stream, which waits for its buffer by itself; two such streams
def offload_step(device, backward, weights, gradients, updated, update):
    n, size = len(weights), gradients[0].size_bytes
    lanes = [(device.stream("even"), device.buffer(size, "even"))]
    lanes.append((device.stream("odd"), device.buffer(size, "odd")))
    marks = {}
    for k in range(n - 1, -1, -1):
        stream, buffer = lanes[k % 2]
        device.launch(backward[k], reads=[weights[k]], writes=[buffer], stream=stream)
        device.copy(gradients[k], buffer, stream)
        marks[k] = device.event()
        marks[k].record(stream)
    back = device.stream("back")
    for k, mark in marks.items():
        mark.synchronize()
        update(k)
        device.copy(weights[k], updated[k], back)
    back.synchronize()


def tokens_to_hide(flop_per_s, link_bytes_per_s, host_bytes_per_s):
    link_s, host_s = 2 / link_bytes_per_s, 28 / host_bytes_per_s
    token_s = 4 / flop_per_s
    return max(1, math.ceil(link_s / token_s), math.ceil(host_s / token_s))
