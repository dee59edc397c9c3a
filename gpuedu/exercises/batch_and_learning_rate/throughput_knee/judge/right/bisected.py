# doubles and bisects: the rate never falls with the batch
def knee(share, launches, launch_s, fixed_s, per_sample_s):
    def reaches(batch):
        rate = samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s)
        return rate >= share / per_sample_s

    high = 1
    while not reaches(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high
