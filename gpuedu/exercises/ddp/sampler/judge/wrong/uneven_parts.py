# loses: as-many
# asks: Rank 0 has 21, rank 1 has 20. In its last step rank 0 would wait for a gradient that
#   never comes.
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    return torch.randperm(samples, generator=generator)[rank::ranks].tolist()
