# loses: overlap
# asks: The copy in of chunk 2 begins when the copy back of chunk 1 ends. With two buffers, its
#   own is free as soon as the kernel of chunk 0 is done. Both are on stream 'default', so in
#   order: give each engine a stream of its own.
def pipeline(device, chunks, results, kernel):
    x = device.buffer(chunks[0].size_bytes, "x")
    y = device.buffer(results[0].size_bytes, "y")
    for chunk, result in zip(chunks, results):
        device.copy(x, chunk)
        device.launch(kernel, reads=[x], writes=[y])
        device.copy(result, y)
    device.synchronize()
