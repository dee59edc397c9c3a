# loses: arrive
# asks: Is it cut out at the right place, and are its numbers in the order of its rows?
def send(tensors, copy):
    flat = [t.as_strided((t.numel(),), (1,)) for t in tensors]
    row = copy(torch.cat(flat))
    parts = row.split([t.numel() for t in tensors])
    return [part.view(t.shape) for part, t in zip(parts, tensors)]
