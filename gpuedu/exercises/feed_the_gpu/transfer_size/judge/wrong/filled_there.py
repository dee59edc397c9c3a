# one `copy` of nothing, and each tensor is written into its place there
# loses: one-copy
# asks: Each time a tensor of the host is written into one that is there, something travels. How often is that?
def send(tensors, copy):
    row = copy(torch.empty(sum(tensor.numel() for tensor in tensors)))
    parts = row.split([tensor.numel() for tensor in tensors])
    shaped = [part.view(tensor.shape) for part, tensor in zip(parts, tensors)]
    for there, tensor in zip(shaped, tensors):
        there.copy_(tensor)
    return shaped
