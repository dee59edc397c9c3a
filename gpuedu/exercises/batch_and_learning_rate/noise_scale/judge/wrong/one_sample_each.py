# loses: devices
# asks: There a device has one sample. With `count` devices the batch is `count * per_device`.
def devices_that_pay(scale, per_device, gain):
    count = 1
    while (1 + scale / count) / (1 + scale / (2 * count)) >= gain:
        count *= 2
    return count
