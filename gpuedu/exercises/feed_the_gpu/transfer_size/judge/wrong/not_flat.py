# loses: one-copy
# tensors of different shapes have no end to be laid at
def send(tensors, copy):
    row = copy(torch.cat(tensors))
    return list(row.split([len(tensor) for tensor in tensors]))
