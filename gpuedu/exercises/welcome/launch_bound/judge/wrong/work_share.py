# loses: share
# asks: That is the work's share. The launch's share is the rest.
def launch_share(launch_s, elements_per_s, n):
    work_s = n / elements_per_s
    return work_s / (launch_s + work_s)
