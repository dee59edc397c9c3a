# must lose: order, reuse
def pipeline(device, chunks, results, kernel):
    stream = device.stream("all")
    x = device.buffer(chunks[0].size_bytes, "x")
    y = device.buffer(results[0].size_bytes, "y")
    for chunk, result in zip(chunks, results, strict=True):
        device.copy(x, chunk, stream)
        device.launch(kernel, reads=[x], writes=[y], stream=stream)
        device.copy(result, y, stream)
    device.synchronize()
