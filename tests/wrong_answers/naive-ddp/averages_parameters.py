# loses: equal
# averages the parameters in place of the gradients, before they are updated
def average(model, samples):
    for p in model.parameters():
        if p.requires_grad:
            dist.all_reduce(p.detach())
            p.detach().div_(dist.get_world_size())
