# treats warm-up and repeats alike and cuts the warm-up off
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    times = []
    for _ in range(warmup + repeats):
        sync()
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times[warmup:])
