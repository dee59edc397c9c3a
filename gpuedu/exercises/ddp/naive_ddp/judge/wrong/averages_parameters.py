# loses: equal
# asks: Each rank went its own way: nothing was averaged.
def average(model, samples):
    for p in model.parameters():
        if p.requires_grad:
            dist.all_reduce(p.detach())
            p.detach().div_(dist.get_world_size())
