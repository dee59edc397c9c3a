# loses: devices
# asks: That is just what was asked for: *at least* so much, so it pays.
def devices_that_pay(scale, per_device, gain):
    if math.isinf(scale):
        return scale
    count = 1
    while (1 + scale / (count * per_device)) / (1 + scale / (2 * count * per_device)) > gain:
        count *= 2
    return count
