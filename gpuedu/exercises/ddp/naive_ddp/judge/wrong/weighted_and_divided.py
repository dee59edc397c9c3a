# loses: equal
# asks: That is divided by the number of ranks twice. Which of the two divisions is one too
#   many?
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad * samples / total
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
