# loses: idle-start
# starts the watch after the launch, to leave its cost out
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        launch()
        start = now()
        sync()
        times.append(now() - start)
    return median(times)
