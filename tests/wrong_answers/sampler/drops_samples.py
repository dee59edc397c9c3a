# loses: all-drawn
# rounds down: the last samples of the list are drawn by nobody
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(samples, generator=generator).tolist()
    each = samples // ranks
    return order[rank : each * ranks : ranks]
