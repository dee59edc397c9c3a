# loses: arrive
# view needs numbers that lie in order
def send(tensors, copy):
    row = copy(torch.cat([tensor.view(-1) for tensor in tensors]))
    parts = row.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors)]
