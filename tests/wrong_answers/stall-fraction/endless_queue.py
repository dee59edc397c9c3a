# loses: full-queue
# the loader never waits for room
def done_times(loads_s, computes_s, depth):
    ready, done, times = 0.0, 0.0, []
    for load, compute in zip(loads_s, computes_s):
        ready += load
        done = max(done, ready) + compute
        times.append(done)
    return times
