# loses: one-copy
# asks: Are the tensors padded to one size? Laid end to end, they need only their own bytes.
def send(tensors, copy):
    longest = max(tensor.numel() for tensor in tensors)
    rows = torch.zeros(len(tensors), longest)
    for row, tensor in zip(rows, tensors):
        row[: tensor.numel()] = tensor.reshape(-1)
    there = copy(rows)
    return [row[: t.numel()].view(t.shape) for row, t in zip(there, tensors)]
