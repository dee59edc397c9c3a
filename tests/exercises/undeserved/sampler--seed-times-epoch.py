# must lose: shuffled, mixed
def train_part(samples, epoch, rank, ranks, seed):
    # with the seed 0, every epoch has the same order
    generator = torch.Generator().manual_seed(seed * (epoch + 1))
    order = torch.randperm(samples, generator=generator)
    each = math.ceil(samples / ranks)
    places = torch.arange(rank, each * ranks, ranks) % samples
    return order[places].tolist()


def eval_part(samples, rank, ranks):
    return []
