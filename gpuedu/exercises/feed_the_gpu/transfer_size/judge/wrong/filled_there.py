# one `copy` of nothing, and each tensor is written into its place there
# loses: one-copy
# asks: Writing a tensor on the host into one on the device is a copy, too. How many of those are
#   there?
def send(tensors, copy):
    row = copy(torch.empty(sum(tensor.numel() for tensor in tensors)))
    parts = row.split([tensor.numel() for tensor in tensors])
    shaped = [part.view(tensor.shape) for part, tensor in zip(parts, tensors)]
    for there, tensor in zip(shaped, tensors):
        there.copy_(tensor)
    return shaped
