# loses: warm-up
# warms up again before every repeat
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    times = []
    for _ in range(repeats):
        for _ in range(warmup):
            launch()
        sync()
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times)
