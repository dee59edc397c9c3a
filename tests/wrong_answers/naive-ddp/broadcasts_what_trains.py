# loses: start
# a frozen layer keeps each rank's own numbers
def start(model):
    for t in [*(p for p in model.parameters() if p.requires_grad), *model.buffers()]:
        dist.broadcast(t.detach(), 0)
