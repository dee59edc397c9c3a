# loses: waits
# sleeps for a moment in place of sync
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    import time

    for _ in range(warmup):
        launch()
    sync()
    times = []
    for _ in range(repeats):
        start = now()
        launch()
        time.sleep(0.001)
        times.append(now() - start)
    return median(times)
