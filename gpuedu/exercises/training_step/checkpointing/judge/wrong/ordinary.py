# loses: memory
def checkpointed_step(segments, x, y, loss):
    for segment in segments:
        x = segment(x)
    value = loss(x, y)
    value.backward()
    return value.detach()
