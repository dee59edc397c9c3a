# loses: endless
# compares with infinity over infinity, which is no number
def devices_that_pay(scale, per_device, gain):
    count = 1
    while (1 + scale / (count * per_device)) / (1 + scale / (2 * count * per_device)) >= gain:
        count *= 2
    return count
