# loses: as-many
# with fewer samples than ranks one more round is not enough
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(samples, generator=generator).tolist()
    order += order[: -samples % ranks]
    return order[rank::ranks]
