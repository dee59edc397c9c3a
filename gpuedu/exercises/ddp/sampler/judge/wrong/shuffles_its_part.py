# loses: mixed
# asks: Which comes first: shuffling, or taking a part? A batch should be able to hold any
#   samples together.
def train_part(samples, epoch, rank, ranks, seed):
    each = math.ceil(samples / ranks)
    part = [i % samples for i in range(rank, each * ranks, ranks)]
    generator = torch.Generator().manual_seed(seed + epoch)
    return [part[i] for i in torch.randperm(each, generator=generator)]
