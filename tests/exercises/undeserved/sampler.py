# must lose: as-many
def train_part(samples, epoch, rank, ranks, seed):
    return [0] * math.ceil(samples / ranks)
def eval_part(samples, rank, ranks):
    return []
