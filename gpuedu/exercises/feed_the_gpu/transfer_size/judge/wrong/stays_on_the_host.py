# loses: arrive
# asks: It shows the host's memory, which was overwritten after the call: return parts of what
#   `copy` gave back.
def send(tensors, copy):
    copy(torch.cat([tensor.reshape(-1) for tensor in tensors]))
    return tensors
