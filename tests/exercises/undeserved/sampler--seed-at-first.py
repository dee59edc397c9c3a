# must lose: shuffled
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed if epoch == 0 else epoch)
    order = torch.randperm(samples, generator=generator)
    each = math.ceil(samples / ranks)
    return order[torch.arange(rank, each * ranks, ranks) % samples].tolist()


def eval_part(samples, rank, ranks):
    """The samples that a rank evaluates."""
    return list(range(rank, samples, ranks))
