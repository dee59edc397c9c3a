# loses: arrive
# a transposed tensor is laid out by columns: takes the numbers as they lie in memory
def send(tensors, copy):
    flat = [t.as_strided((t.numel(),), (1,)) for t in tensors]
    row = copy(torch.cat(flat))
    parts = row.split([t.numel() for t in tensors])
    return [part.view(t.shape) for part, t in zip(parts, tensors)]
