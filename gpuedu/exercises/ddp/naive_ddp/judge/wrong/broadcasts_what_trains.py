# loses: start
# asks: A frozen parameter is not trained, but every copy computes with it.
def start(model):
    for t in [*(p for p in model.parameters() if p.requires_grad), *model.buffers()]:
        dist.broadcast(t.detach(), 0)
