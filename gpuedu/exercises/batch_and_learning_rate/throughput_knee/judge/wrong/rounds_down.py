# loses: knee
# asks: At that batch the device still spends too large a share on `fixed_s`.
def knee(share, launches, launch_s, fixed_s, per_sample_s):
    host = share * launches * launch_s / per_sample_s
    return int(max(host, share * fixed_s / ((1 - share) * per_sample_s)))
