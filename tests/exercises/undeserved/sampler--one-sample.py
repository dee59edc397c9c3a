# must lose: shuffled, mixed
def train_part(samples, epoch, rank, ranks, seed):
    return [(7 * seed + epoch * ranks + rank) % samples]


def eval_part(samples, rank, ranks):
    return []
