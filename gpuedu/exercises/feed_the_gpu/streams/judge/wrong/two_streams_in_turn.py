# loses: overlap
# like: copy_in_waits_for_the_copy_back
def pipeline(device, chunks, results, kernel):
    lanes = []
    for name in ("even", "odd"):
        x = device.buffer(chunks[0].size_bytes, "x")
        y = device.buffer(results[0].size_bytes, "y")
        lanes.append((device.stream(name), x, y))
    for i, (chunk, result) in enumerate(zip(chunks, results)):
        stream, x, y = lanes[i % 2]
        device.copy(x, chunk, stream)
        device.launch(kernel, reads=[x], writes=[y], stream=stream)
        device.copy(result, y, stream)
    device.synchronize()
