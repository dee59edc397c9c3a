# loses: as-many
# nothing fills up: some ranks have one sample more
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch)
    return torch.randperm(samples, generator=generator)[rank::ranks].tolist()
