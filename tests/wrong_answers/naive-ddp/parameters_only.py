# loses: start
# forgets the buffers
def start(model):
    for p in model.parameters():
        dist.broadcast(p.detach(), 0)
