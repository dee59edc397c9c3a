# loses: share
# pays one launch for each element
def launch_share(launch_s, elements_per_s, n):
    return n * launch_s / (n * launch_s + n / elements_per_s)
