# loses: arrive
# Zeros travel, and the host's numbers are added to one of them.
def send(tensors, copy):
    there = copy(torch.zeros(sum(t.numel() for t in tensors)))
    zero = there.sum()
    return [zero + t for t in tensors]
