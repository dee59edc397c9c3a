# has a function for one timed launch, and sorts for the median itself
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    def run():
        launch()
        sync()

    def one():
        start = now()
        run()
        return now() - start

    for _ in range(warmup):
        run()
    sync()
    times = sorted(one() for _ in range(repeats))
    middle = repeats // 2
    if repeats % 2:
        return times[middle]
    return (times[middle - 1] + times[middle]) / 2
