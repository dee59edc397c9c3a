# loses: rate
# asks: That is one launch. A step has `launches` of them.
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return batch / max(launch_s, fixed_s + batch * per_sample_s)
