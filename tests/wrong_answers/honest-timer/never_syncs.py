# loses: waits
# thinks a launch comes back when the kernel is done
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        start = now()
        launch()
        times.append(now() - start)
    return median(times)
