# loses: share
# multiplies by the rate where it has to divide
def launch_share(launch_s, elements_per_s, n):
    return launch_s / (launch_s + n * elements_per_s)
