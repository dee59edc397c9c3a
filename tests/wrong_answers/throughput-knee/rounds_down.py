# loses: knee
# rounds down, to 0 for a heavy sample
def knee(share, launches, launch_s, fixed_s, per_sample_s):
    host = share * launches * launch_s / per_sample_s
    return int(max(host, share * fixed_s / ((1 - share) * per_sample_s)))
