# the same, written by an index
# loses: one-copy
# like: filled_there
def send(tensors, copy):
    row, at, shaped = copy(torch.empty(sum(t.numel() for t in tensors))), 0, []
    for tensor in tensors:
        row[at : at + tensor.numel()] = tensor.reshape(-1)
        shaped.append(row[at : at + tensor.numel()].view(tensor.shape))
        at += tensor.numel()
    return shaped
