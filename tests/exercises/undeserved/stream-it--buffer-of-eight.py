# must lose: shuffled
def deal(stream, prepare, rank, ranks, seed, buffer):
    stream = stream.shuffle(seed=seed, buffer_size=8)
    stream = split_dataset_by_node(stream, rank, ranks)
    return stream.map(prepare, batched=True, batch_size=16)


def read(stream, epoch, done, count):
    stream.set_epoch(epoch)
    return list(itertools.islice(stream, done, done + count))


def busy_workers(shards, ranks, workers):
    return 0
