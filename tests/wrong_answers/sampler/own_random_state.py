# loses: all-drawn
# every rank shuffles with its own random state
def train_part(samples, epoch, rank, ranks, seed):
    order = torch.randperm(samples).tolist()
    each = math.ceil(samples / ranks)
    return [order[i % samples] for i in range(rank, each * ranks, ranks)]
