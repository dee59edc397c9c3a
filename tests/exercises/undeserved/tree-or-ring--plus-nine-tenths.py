# must lose: crossover, choice
def tree_schedule(ranks, size_bytes):
    return []


def crossover(ranks, alpha_s, bytes_per_s):
    if ranks < 4:
        return 0.0
    depth = int(np.log2(ranks) + 0.9)  # 4, not 5, for 17 ranks
    return alpha_s * bytes_per_s * (ranks - 1 - depth) / (depth - (ranks - 1) / ranks)


def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "ring" if size_bytes >= crossover(ranks, alpha_s, bytes_per_s) else "tree"
