# A digest that goes on from block to block.
import hashlib
import itertools


def keys(tokens, size):
    digest, found = hashlib.sha256(), []
    for at, token in enumerate(tokens, 1):
        digest.update(f"{token} ".encode())
        if at % size == 0:
            found.append(int(digest.hexdigest(), 16) % 2**60)
    return found


def match(known, tokens, size):
    there = list(itertools.takewhile(known.__contains__, keys(tokens, size)))
    while there and len(there) * size >= len(tokens):
        there.pop()
    return len(there) * size
