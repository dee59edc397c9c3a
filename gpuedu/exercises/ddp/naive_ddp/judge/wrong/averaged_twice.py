# loses: equal
# asks: That is divided by the number of ranks twice. Which of the two divisions is one too
#   many?
def average(model, samples):
    ranks = dist.get_world_size()
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad / ranks
            dist.all_reduce(p.grad)
            p.grad /= ranks
