# loses: endless
# asks: There each doubling divides the steps by 2. But `inf / inf` is `nan`, and no comparison
#   with `nan` is true: ask for infinity before the loop.
def devices_that_pay(scale, per_device, gain):
    count = 1
    while (1 + scale / (count * per_device)) / (1 + scale / (2 * count * per_device)) >= gain:
        count *= 2
    return count
