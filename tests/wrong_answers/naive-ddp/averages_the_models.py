# loses: start
# the mean of all copies is nobody's model
def start(model):
    for t in [*model.parameters(), *model.buffers()]:
        if t.is_floating_point():
            dist.all_reduce(t.detach())
            t.detach().div_(dist.get_world_size())
        else:
            dist.broadcast(t, 0)
