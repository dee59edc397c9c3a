# loses: warm-up
# takes warmup for a yes or no
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    if warmup:
        launch()
    sync()
    times = []
    for _ in range(repeats):
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times)
