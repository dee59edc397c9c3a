# loses: overlap
# asks: What does the device do while the host updates a layer?
def offload_step(device, backward, weights, gradients, updated, update):
    buffer = device.buffer(gradients[0].size_bytes, "gradient")
    for k in reversed(range(len(weights))):
        device.launch(backward[k], reads=[weights[k]], writes=[buffer])
        device.copy(gradients[k], buffer)
        device.synchronize()
        update(k)
        device.copy(weights[k], updated[k])
    device.synchronize()
