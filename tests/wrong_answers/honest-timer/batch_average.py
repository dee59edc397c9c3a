# loses: median
# times all repeats as one batch and divides
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    sync()
    start = now()
    for _ in range(repeats):
        launch()
    sync()
    return (now() - start) / repeats
