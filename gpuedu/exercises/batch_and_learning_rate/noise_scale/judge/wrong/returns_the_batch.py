# loses: devices
# asks: That is the batch. How many devices share it?
def devices_that_pay(scale, per_device, gain):
    batch = per_device
    while (1 + scale / batch) / (1 + scale / (2 * batch)) >= gain:
        batch *= 2
    return batch
