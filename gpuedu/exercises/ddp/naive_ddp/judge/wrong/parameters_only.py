# loses: start
# asks: A model has buffers, too: what it keeps beside its parameters (`model.buffers()`).
def start(model):
    for p in model.parameters():
        dist.broadcast(p.detach(), 0)
