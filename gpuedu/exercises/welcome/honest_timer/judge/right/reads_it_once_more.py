# reads the clock after the launch, too, to see how long that alone took
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times, launch_times = [], []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        launched = now()
        sync()
        done = now()
        times.append(done - start)
        launch_times.append(launched - start)
    return median(times)
