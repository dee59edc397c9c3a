# loses: share
# gives the share of the work
def launch_share(launch_s, elements_per_s, n):
    work_s = n / elements_per_s
    return work_s / (launch_s + work_s)
