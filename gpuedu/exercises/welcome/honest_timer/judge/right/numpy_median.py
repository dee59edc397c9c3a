# keeps starts and stops apart and takes NumPy's median
import numpy as np


def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    starts, stops = np.zeros(repeats), np.zeros(repeats)
    for _ in range(warmup):
        launch()
    for i in range(repeats):
        sync()
        starts[i] = now()
        launch()
        sync()
        stops[i] = now()
    return np.median(stops - starts)
