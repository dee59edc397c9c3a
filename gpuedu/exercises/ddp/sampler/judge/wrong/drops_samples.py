# loses: all-drawn
# asks: Each rank drew 61 // 3 samples: the rest is dropped. Round up, and fill up.
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(samples, generator=generator).tolist()
    each = samples // ranks
    return order[rank : each * ranks : ranks]
