# rounds as arrays of messages, and the way as a text of NumPy
def tree_schedule(ranks, size_bytes):
    up, gap = [], 1
    while gap < ranks:
        sources = np.arange(gap, ranks, 2 * gap)
        up.append(np.stack([sources, sources - gap, np.full(len(sources), size_bytes)], axis=1))
        gap *= 2
    return (*up, *(messages[:, [1, 0, 2]] for messages in up[::-1]))


def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    ways = np.array(["tree", "ring"])
    return ways[int(size_bytes > crossover(ranks, alpha_s, bytes_per_s))]
