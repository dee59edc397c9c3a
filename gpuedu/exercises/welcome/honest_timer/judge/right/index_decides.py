# one loop, and the index says whether it is a warm-up
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    times = []
    for i in range(warmup + repeats):
        sync()
        begin = now()
        launch()
        sync()
        end = now()
        if i >= warmup:
            times += [end - begin]
    return median(times)
