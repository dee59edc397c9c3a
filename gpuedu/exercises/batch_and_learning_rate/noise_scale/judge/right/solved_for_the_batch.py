# a doubling pays up to the batch scale * (1 - gain / 2) / (gain - 1)
def devices_that_pay(scale, per_device, gain):
    if scale == float("inf"):
        return scale
    last = scale * (1 - gain / 2) / (gain - 1)
    count = 1
    while count * per_device <= last:
        count *= 2
    return count
