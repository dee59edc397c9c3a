# loses: knee
# tries powers of two
def knee(share, launches, launch_s, fixed_s, per_sample_s):
    batch = 1
    while samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s) < share / per_sample_s:
        batch *= 2
    return batch
