# loses: share
# gives percent
def launch_share(launch_s, elements_per_s, n):
    work_s = n / elements_per_s
    return 100 * launch_s / (launch_s + work_s)
