# issues the copy of the next chunk before the kernel of this one
def pipeline(device, chunks, results, kernel):
    up, run, down = (device.stream(name) for name in ("up", "run", "down"))
    x = [device.buffer(chunks[0].size_bytes, f"x{k}") for k in range(2)]
    y = [device.buffer(results[0].size_bytes, f"y{k}") for k in range(2)]
    filled, free_x, full_y, free_y = ([device.event() for _ in range(2)] for _ in range(4))

    def fetch(i):
        if i < len(chunks):
            up.wait_event(free_x[i % 2])
            device.copy(x[i % 2], chunks[i], up)
            filled[i % 2].record(up)

    fetch(0)
    for i, result in enumerate(results):
        fetch(i + 1)
        k = i % 2
        run.wait_event(filled[k])
        run.wait_event(free_y[k])
        device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
        free_x[k].record(run)
        full_y[k].record(run)
        down.wait_event(full_y[k])
        device.copy(result, y[k], down)
        free_y[k].record(down)
    for stream in (up, run, down):
        stream.synchronize()
