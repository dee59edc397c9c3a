# loses: overlap
# asks: All is on one stream, so in order. Which engines could work at the same time?
def pipeline(device, chunks, results, kernel):
    x = device.buffer(chunks[0].size_bytes, "x")
    y = device.buffer(results[0].size_bytes, "y")
    for chunk, result in zip(chunks, results):
        device.copy(x, chunk)
        device.launch(kernel, reads=[x], writes=[y])
        device.copy(result, y)
    device.synchronize()
