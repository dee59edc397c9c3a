# loses: arrive
# copies the packed row, and returns the tensors that it was made of
def send(tensors, copy):
    copy(torch.cat([tensor.reshape(-1) for tensor in tensors]))
    return tensors
