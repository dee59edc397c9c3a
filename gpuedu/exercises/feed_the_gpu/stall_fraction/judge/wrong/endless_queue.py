# loses: full-queue
# asks: That is with a queue that is never full. When may batch i go into a queue of `depth`
#   places? Which batch must have left it?
def done_times(loads_s, computes_s, depth):
    ready, done, times = 0.0, 0.0, []
    for load, compute in zip(loads_s, computes_s):
        ready += load
        done = max(done, ready) + compute
        times.append(done)
    return times
