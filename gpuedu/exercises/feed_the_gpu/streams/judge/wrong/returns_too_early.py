# loses: returned
# asks: What must the host wait for, once, before it hands the results over?
def pipeline(device, chunks, results, kernel):
    up, run, down = device.stream("up"), device.stream("run"), device.stream("down")
    x = [device.buffer(chunks[0].size_bytes, "x") for _ in range(2)]
    y = [device.buffer(results[0].size_bytes, "y") for _ in range(2)]
    filled, used, saved = ([device.event(), device.event()] for _ in range(3))
    for i, (chunk, result) in enumerate(zip(chunks, results)):
        k = i % 2
        up.wait_event(used[k])
        device.copy(x[k], chunk, up)
        filled[k].record(up)
        run.wait_event(filled[k])
        run.wait_event(saved[k])
        device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
        used[k].record(run)
        down.wait_event(used[k])
        device.copy(result, y[k], down)
        saved[k].record(down)
