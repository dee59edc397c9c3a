# loses: waits
# asks: A launch only puts the kernel into a queue. What makes the host wait until it is done?
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync
        start = now()
        launch()
        sync
        times.append(now() - start)
    return median(times)
