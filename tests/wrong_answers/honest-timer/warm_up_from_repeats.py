# loses: warm-up
# drops the first of the repeats as the warm-up
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    times = []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times[warmup:])
