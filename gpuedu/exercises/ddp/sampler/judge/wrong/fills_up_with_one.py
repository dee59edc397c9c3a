# loses: padding
# asks: 2 draws fill up: take 2 different samples.
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(samples, generator=generator).tolist()
    order += order[-1:] * (-samples % ranks)
    return order[rank::ranks]
