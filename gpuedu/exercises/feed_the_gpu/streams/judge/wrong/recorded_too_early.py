# loses: order
# asks: Which event is recorded on stream 'up' behind what writes 'x', and does stream 'run'
#   wait for it before it reads?
def pipeline(device, chunks, results, kernel):
    up, run, down = device.stream("up"), device.stream("run"), device.stream("down")
    x = [device.buffer(chunks[0].size_bytes, "x") for _ in range(2)]
    y = [device.buffer(results[0].size_bytes, "y") for _ in range(2)]
    filled, used, saved = ([device.event(), device.event()] for _ in range(3))
    for i, (chunk, result) in enumerate(zip(chunks, results)):
        k = i % 2
        up.wait_event(used[k])
        filled[k].record(up)
        device.copy(x[k], chunk, up)
        run.wait_event(filled[k])
        run.wait_event(saved[k])
        device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
        used[k].record(run)
        down.wait_event(used[k])
        device.copy(result, y[k], down)
        saved[k].record(down)
    device.synchronize()
