# loses: median
# reads perf_counter and not the clock it was given
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        start = perf_counter()
        launch()
        sync()
        times.append(perf_counter() - start)
    return median(times)
