# loses: all-drawn
# asks: Called again with the same arguments, your function gave other samples. The ranks are
#   processes, each with its own random state: what do all of them know?
def train_part(samples, epoch, rank, ranks, seed):
    order = torch.randperm(samples).tolist()
    each = math.ceil(samples / ranks)
    return [order[i % samples] for i in range(rank, each * ranks, ranks)]
