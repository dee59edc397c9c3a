# loses: share
# asks: That is in per cent. A share is between 0 and 1.
def launch_share(launch_s, elements_per_s, n):
    work_s = n / elements_per_s
    return 100 * launch_s / (launch_s + work_s)
