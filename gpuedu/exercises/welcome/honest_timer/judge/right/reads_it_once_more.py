# reads the clock after the launch, too, and makes nothing of that reading
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        launched = now()
        sync()
        done = now()
        times.append(done - start)
    return median(times)
