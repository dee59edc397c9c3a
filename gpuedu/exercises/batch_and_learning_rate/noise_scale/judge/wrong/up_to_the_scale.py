# loses: devices
# asks: The last of these doublings saves less than was asked for.
def devices_that_pay(scale, per_device, gain):
    count = 1
    while 2 * count * per_device <= scale:
        count *= 2
    return count
