# loses: one-copy
# all made as long as the longest, so that they can be stacked
def send(tensors, copy):
    longest = max(tensor.numel() for tensor in tensors)
    rows = torch.zeros(len(tensors), longest)
    for row, tensor in zip(rows, tensors):
        row[: tensor.numel()] = tensor.reshape(-1)
    there = copy(rows)
    return [row[: t.numel()].view(t.shape) for row, t in zip(there, tensors)]
