# loses: shuffled
# asks: With which seed does the generator begin in each epoch?
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(samples, generator=generator).tolist()
    each = math.ceil(samples / ranks)
    return [order[i % samples] for i in range(rank, each * ranks, ranks)]
