# loses: one-copy
# a copy for each tensor
def send(tensors, copy):
    return [copy(tensor) for tensor in tensors]
