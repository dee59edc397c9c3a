# Every rank reads all shards and keeps its samples by their place; no library but for the shuffle.
def deal(stream, prepare, rank, ranks, seed, buffer):
    class Mine:
        epoch = 0

        def __iter__(self):
            shuffled = stream.shuffle(seed=seed, buffer_size=buffer)
            shuffled.set_epoch(self.epoch)
            for at, sample in enumerate(shuffled):
                if at % ranks == rank:
                    one = {name: [value] for name, value in sample.items()}
                    yield sample | {name: values[0] for name, values in prepare(one).items()}

    return Mine()


def read(stream, epoch, done, count):
    stream.epoch = epoch
    return [sample for at, sample in enumerate(stream) if at >= done][:count]
