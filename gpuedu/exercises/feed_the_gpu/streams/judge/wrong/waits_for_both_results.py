# loses: overlap
# asks: The kernel of chunk 2 begins when the copy back of chunk 1 ends. It needs its chunk
#   copied in; and with two buffers, its own is free as soon as the copy back of chunk 0 is
#   done.
def pipeline(device, chunks, results, kernel):
    up, run, down = device.stream("up"), device.stream("run"), device.stream("down")
    x = [device.buffer(chunks[0].size_bytes, f"x{k}") for k in range(2)]
    y = [device.buffer(results[0].size_bytes, f"y{k}") for k in range(2)]
    filled, done, stored = ([device.event(), device.event()] for _ in range(3))
    for i, (chunk, result) in enumerate(zip(chunks, results)):
        k = i % 2
        up.wait_event(done[k])
        device.copy(x[k], chunk, up)
        filled[k].record(up)
        run.wait_event(filled[k])
        run.wait_event(stored[k])
        run.wait_event(stored[1 - k])
        device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
        done[k].record(run)
        down.wait_event(done[k])
        device.copy(result, y[k], down)
        stored[k].record(down)
    device.synchronize()
