# loses: devices
# asks: Hold the steps behind a doubling against those before it, not against one device's.
def devices_that_pay(scale, per_device, gain):
    alone, count = 1 + scale / per_device, 1
    while count < 10**6 and alone / (1 + scale / (2 * count * per_device)) >= gain:
        count *= 2
    return count
