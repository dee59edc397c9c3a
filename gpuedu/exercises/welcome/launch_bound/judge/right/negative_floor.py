# rounds up with floor division, and imports nothing
def elements_for_share(launch_s, elements_per_s, share):
    return int(-(-launch_s * elements_per_s * (1 - share) // share))
