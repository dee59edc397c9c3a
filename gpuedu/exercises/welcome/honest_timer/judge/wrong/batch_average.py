# loses: median
# asks: That gives the mean of them, and one slow run moves it. Time every repeat by itself.
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    sync()
    start = now()
    for _ in range(repeats):
        launch()
    sync()
    return (now() - start) / repeats
