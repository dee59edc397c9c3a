# must lose: best
def checkpointed_step(segments, x, y, loss):
    return ordinary_step(segments, x, y, loss)


def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + -(-blocks // k) * inside


def best_k(blocks, kept, inside):
    near = (blocks * inside / kept) ** 0.5
    tried = range(max(1, int(near) - 1), min(blocks, int(near) + 2) + 1)
    return min(tried, key=lambda k: predicted_bytes(blocks, k, kept, inside), default=blocks)
