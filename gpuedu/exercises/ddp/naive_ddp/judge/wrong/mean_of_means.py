# loses: ragged
# asks: That is the mean of the ranks' means: each rank counts alike, however few samples it
#   has. What should a rank count for?
def average(model, samples):
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
