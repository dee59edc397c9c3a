# loses: shuffled
# asks: Where is it used?
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(epoch)
    order = torch.randperm(samples, generator=generator).tolist()
    each = math.ceil(samples / ranks)
    return [order[i % samples] for i in range(rank, each * ranks, ranks)]
