# loses: median
# asks: What is done with the times behind the last repeat?
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    sync()
    start = now()
    times = []
    for _ in range(repeats):
        launch()
        sync()
        times.append(now() - start)
    return median(times)
