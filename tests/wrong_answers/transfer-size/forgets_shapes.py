# loses: arrive
# flat rows arrive
def send(tensors, copy):
    row = copy(torch.cat([tensor.reshape(-1) for tensor in tensors]))
    return list(row.split([tensor.numel() for tensor in tensors]))
