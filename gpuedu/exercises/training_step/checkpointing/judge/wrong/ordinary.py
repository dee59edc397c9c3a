# loses: memory
# asks: Does the first forward record what backward would need?
def checkpointed_step(segments, x, y, loss):
    for segment in segments:
        x = segment(x)
    value = loss(x, y)
    value.backward()
    return value.detach()
