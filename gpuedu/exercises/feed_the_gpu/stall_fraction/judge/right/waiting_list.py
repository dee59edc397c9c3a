# walks through time with the batches that wait
def done_times(loads_s, computes_s, depth):
    free_at = [0.0] * depth
    loader, device, done = 0.0, 0.0, []
    for load, compute in zip(loads_s, computes_s):
        put = max(loader + load, free_at.pop(0))
        take = max(put, device)
        free_at.append(take)
        loader, device = put, take + compute
        done.append(device)
    return np.array(done)
