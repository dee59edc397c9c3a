# loses: overlap
# asks: The copy in of chunk 2 begins when the copy back of chunk 0 ends. With two buffers, its
#   own is free as soon as the kernel of chunk 0 is done. Both are on stream 'even', so in
#   order: give each engine a stream of its own.
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
