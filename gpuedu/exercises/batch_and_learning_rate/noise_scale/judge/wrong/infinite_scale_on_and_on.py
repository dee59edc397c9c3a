# loses: endless
# multiplied in place of divided: infinity is at least infinity, for ever
def devices_that_pay(scale, per_device, gain):
    count = 1
    while 1 + scale / (count * per_device) >= gain * (1 + scale / (2 * count * per_device)):
        count *= 2
    return count
