# fills up with the list itself, and returns tensors
def train_part(samples, epoch, rank, ranks, seed):
    torch.manual_seed(seed * 1000 + epoch)
    order = torch.randperm(samples)
    each = math.ceil(samples / ranks)
    return order.repeat(ranks)[: each * ranks][rank::ranks]


def eval_part(samples, rank, ranks):
    return torch.arange(samples)[rank::ranks]
