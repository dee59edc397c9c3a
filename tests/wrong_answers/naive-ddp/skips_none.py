# loses: unused
# who did not use a parameter stays away from its all-reduce
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.grad is None:
            continue
        p.grad *= samples / total
        dist.all_reduce(p.grad)
