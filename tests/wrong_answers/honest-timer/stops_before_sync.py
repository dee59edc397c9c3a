# loses: waits
# stops the watch and only then waits
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        stop = now()
        sync()
        times.append(stop - start)
    return median(times)
