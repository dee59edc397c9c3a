# loses: as-many
# asks: Rank 0 has 1, rank 6 has 0. In its last step rank 0 would wait for a gradient that never
#   comes.
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(samples, generator=generator).tolist()
    order += order[: -samples % ranks]
    return order[rank::ranks]
