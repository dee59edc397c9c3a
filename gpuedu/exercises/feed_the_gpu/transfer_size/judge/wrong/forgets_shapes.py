# loses: arrive
# asks: Each part is to be seen in the shape that it had.
def send(tensors, copy):
    row = copy(torch.cat([tensor.reshape(-1) for tensor in tensors]))
    return list(row.split([tensor.numel() for tensor in tensors]))
