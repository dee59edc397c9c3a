# loses: median
# takes the middle repeat without sorting
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return times[len(times) // 2]
