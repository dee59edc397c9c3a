# loses: waits
# waits once, after the last repeat
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    sync()
    times = []
    for _ in range(repeats):
        start = now()
        launch()
        times.append(now() - start)
    sync()
    return median(times)
