# loses: start
# asks: Rank 0 should keep what it has: it is the one that gives.
def start(model):
    for t in [*model.parameters(), *model.buffers()]:
        if t.is_floating_point():
            dist.all_reduce(t.detach())
            t.detach().div_(dist.get_world_size())
        else:
            dist.broadcast(t, 0)
