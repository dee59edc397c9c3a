# loses: idle-start
# waits for earlier work, and not for its own warm-up
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    sync()
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times)
