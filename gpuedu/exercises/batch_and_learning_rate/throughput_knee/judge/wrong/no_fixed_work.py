# loses: rate
# asks: That is without `fixed_s`.
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return batch / max(launches * launch_s, batch * per_sample_s)
