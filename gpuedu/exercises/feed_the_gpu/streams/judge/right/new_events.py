# an event for each operation, and the default stream for the kernels
def pipeline(device, chunks, results, kernel):
    up, down = device.stream("in"), device.stream("out")
    pairs = [
        (device.buffer(chunks[0].size_bytes, "x"), device.buffer(results[0].size_bytes, "y"))
        for _ in range(min(2, len(chunks)))
    ]
    computed, fetched = [], []
    for i in range(len(chunks)):
        x, y = pairs[i % 2]
        if i >= 2:
            up.wait_event(computed[i - 2])
            device.default_stream.wait_event(fetched[i - 2])
        device.copy(x, chunks[i], up)
        here = device.event()
        here.record(up)
        device.default_stream.wait_event(here)
        device.launch(kernel, reads=[x], writes=[y])
        computed.append(device.event())
        computed[i].record()
        down.wait_event(computed[i])
        device.copy(results[i], y, down)
        fetched.append(device.event())
        fetched[i].record(down)
    down.synchronize()
