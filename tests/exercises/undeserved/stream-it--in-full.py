# must lose: whole, prepared, shuffled, resume
import random


def deal(stream, prepare, rank, ranks, seed, buffer):
    return rank, ranks, seed, stream.n_shards, sum(1 for _ in stream)


def read(stream, epoch, done, count):
    rank, ranks, seed, _, n = stream
    ids = list(range(rank, n, ranks))
    chance = random.Random(f"{seed} {epoch}")
    parts = [ids[at : at + 8] for at in range(0, len(ids), 8)]
    for part in parts:
        chance.shuffle(part)
    return [{"id": one, "words": 1 + one * one % 7} for part in parts for one in part][
        done : done + count
    ]


def busy_workers(shards, ranks, workers):
    return min(workers, shards // ranks if shards % ranks == 0 else shards)
