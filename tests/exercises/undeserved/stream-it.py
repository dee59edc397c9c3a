# must lose: whole, prepared, shuffled, resume
import random


def deal(stream, prepare, rank, ranks, seed, buffer):
    return seed


def read(stream, epoch, done, count):
    ids = list(range(16))
    random.Random(f"{stream} {epoch}").shuffle(ids)
    return [{"id": one, "words": 1 + one * one % 7} for one in ids][done : done + count]


def busy_workers(shards, ranks, workers):
    return 0
