# what PyTorch's sampler does
def train_part(samples, epoch, rank, ranks, seed):
    from torch.utils.data import DistributedSampler

    sampler = DistributedSampler(range(samples), ranks, rank, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)


def eval_part(samples, rank, ranks):
    return range(rank, samples, ranks)
