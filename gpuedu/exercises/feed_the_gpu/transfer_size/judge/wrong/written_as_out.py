# loses: arrive
# Zeros travel, and sums of the host's numbers are written over them.
def send(tensors, copy):
    there = copy(torch.zeros(sum(t.numel() for t in tensors)))
    parts = there.split([t.numel() for t in tensors])
    parts = [part.view(t.shape) for part, t in zip(parts, tensors)]
    for part, t in zip(parts, tensors):
        torch.add(t, 0, out=part)
    return parts
