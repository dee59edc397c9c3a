# loses: devices
# asks: The last of these doublings saves less than was asked for.
def devices_that_pay(scale, per_device, gain):
    count, saved = 1, gain
    while saved >= gain:
        saved = (1 + scale / (count * per_device)) / (1 + scale / (2 * count * per_device))
        count *= 2
    return count
