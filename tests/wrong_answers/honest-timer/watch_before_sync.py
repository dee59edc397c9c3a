# loses: idle-start
# starts the watch and then waits for the earlier work
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        start = now()
        sync()
        launch()
        sync()
        times.append(now() - start)
    return median(times)
