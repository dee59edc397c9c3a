# Split first, and a loop over the stream; a plain formula for the workers.
def deal(stream, prepare, rank, ranks, seed, buffer):
    mine = split_dataset_by_node(stream, rank=rank, world_size=ranks)
    return mine.map(prepare, batched=True, batch_size=8).shuffle(seed, buffer_size=buffer)


def read(stream, epoch, done, count):
    found = []
    stream.set_epoch(epoch)
    for at, sample in enumerate(stream):
        if done <= at < done + count:
            found.append(sample)
    return found


def busy_workers(shards, ranks, workers):
    if shards % ranks:
        return min(shards, workers)
    return min(shards // ranks, workers)
