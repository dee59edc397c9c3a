# loses: share
# adds elements to seconds
def launch_share(launch_s, elements_per_s, n):
    return launch_s / (launch_s + n)
