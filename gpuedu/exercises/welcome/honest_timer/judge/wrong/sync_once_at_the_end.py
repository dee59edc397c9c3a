# loses: waits
# asks: A launch only puts the kernel into a queue. What makes the host wait until it is done?
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
