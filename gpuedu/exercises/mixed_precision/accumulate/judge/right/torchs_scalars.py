# PyTorch's numbers of 16 bits, and its dot product
def running_sum(values):
    total = torch.zeros((), dtype=torch.float16)
    for value in torch.from_numpy(values):
        total = total + value
    return total


def pairwise_sum(values):
    row = torch.from_numpy(values)
    while len(row) > 1:
        row = row.view(-1, 2)
        row = row[:, 0] + row[:, 1]
    return row.sum()


def dot(a, b):
    return torch.dot(torch.from_numpy(a).float(), torch.from_numpy(b).float())
