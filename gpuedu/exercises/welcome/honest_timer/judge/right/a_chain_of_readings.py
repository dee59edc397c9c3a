# the reading that stops one watch starts the next
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    for _ in range(warmup):
        launch()
    sync()
    marks = [now()]
    for _ in range(repeats):
        launch()
        sync()
        marks.append(now())
    return median(b - a for a, b in zip(marks, marks[1:]))
