# loses: idle-start
# does not wait for the warm-up before the first watch
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times)
