# loses: shuffled
# asks: Every order should be as likely as any other. `torch.randperm` draws one.
def train_part(samples, epoch, rank, ranks, seed):
    begin = (seed + 7 * epoch) % samples
    each = math.ceil(samples / ranks)
    return [(begin + i) % samples for i in range(rank, each * ranks, ranks)]
