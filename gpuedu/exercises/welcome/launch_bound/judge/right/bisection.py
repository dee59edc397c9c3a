# searches with its own launch_share
def launch_share(launch_s, elements_per_s, n):
    return 1 / (1 + n / (launch_s * elements_per_s))


def elements_for_share(launch_s, elements_per_s, share):
    high = 1
    while launch_share(launch_s, elements_per_s, high) > share:
        high *= 2
    low = 0
    while low < high:
        middle = (low + high) // 2
        if launch_share(launch_s, elements_per_s, middle) <= share:
            high = middle
        else:
            low = middle + 1
    return low
